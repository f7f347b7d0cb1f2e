import { fields } from './de/fields.ts';
import { managingDe } from './de/managing.ts';
import { watchingDe } from './de/watching.ts';
import type { Words } from './en.ts';

export const de: Words = { ...watchingDe, ...managingDe, fields };
