/* The words of the console. Names and summaries of fields come from the declarations of the operator's API. */

import { managing } from './managing.ts';
import { watching } from './watching.ts';

/** A word that is also a term of the field keeps it, such as carrier and receipt. */
export const words = { ...watching, ...managing };
