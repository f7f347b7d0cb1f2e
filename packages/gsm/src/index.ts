export { allLanguages, type Language, type National } from './alphabet.ts';
export {
  compose,
  countParts,
  partHeader,
  type Composed,
  type ComposeOptions,
  type Counted,
  type TooManyParts,
} from './compose.ts';
export { decodeText, type Received } from './decode-text.ts';
export {
  buildHeader,
  concatenation,
  concatenationOf,
  nationalOf,
  parseHeader,
  shiftsOf,
  type Concatenation,
  type Header,
  type HeaderFault,
  type InformationElement,
  type Opaque,
  type Ports,
  type Shift,
} from './header.ts';
export { fillBitsAfter, packSeptets, unpackSeptets, type Unpacking } from './packing.ts';
export { capacity, type Dcs } from './plan.ts';
export { decodeGsm, encodeGsm } from './septets.ts';
export { decodeUcs2, encodeUcs2 } from './ucs2.ts';
export { findUnencodable, listOutside, type Encoding, type Outside, type Unencodable } from './unencodable.ts';
