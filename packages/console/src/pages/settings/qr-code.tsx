/* A QR code as one SVG path. Loaded when an operator turns one-time codes on. */

import { generate } from 'lean-qr';
import own from './qr-code.module.css';

/** The quiet zone around a QR code, in modules (ISO/IEC 18004, section 9.1). */
const quiet = 4;

export function QrCode({ label, text }: { readonly label: string; readonly text: string }) {
  const code = generate(text);
  const at = Array.from({ length: code.size }, (_, index) => index);
  const path = at.flatMap((y) => at.filter((x) => code.get(x, y)).map((x) => `M${x} ${y}h1v1h-1z`)).join('');
  const size = code.size + 2 * quiet;
  return (
    <svg className={own['code']} role="img" aria-label={label} viewBox={`${-quiet} ${-quiet} ${size} ${size}`}>
      <path d={path} />
    </svg>
  );
}
