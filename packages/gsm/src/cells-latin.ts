/*
 * The characters of the GSM 7 bit default alphabet, and of the Turkish, Spanish and Portuguese tables (3GPP TS 23.038,
 * sections 6.2.1 and 6.2.1.1, annex A.2 and A.3).
 *
 * Each table is eight strings of sixteen characters. Each string is a column of the table in the standard, beginning
 * with the codes 0x00-0x0f. The character · (middle dot) marks the escape at 0x1b and empty cells; it is not a
 * character of any table.
 */

/** The national language identifier and the tables of one language. Spanish has no locking shift table. */
export interface Cells {
  readonly identifier: number;
  readonly locking?: readonly string[];
  readonly single: readonly string[];
}

/** Marks a cell without a character. */
export const emptyCell = '·';

export const defaultCells: Cells = {
  identifier: 0,
  locking: [
    '@£$¥èéùìòÇ\nØø\rÅå',
    'Δ_ΦΓΛΩΠΨΣΘΞ·ÆæßÉ',
    ' !"#¤%&\'()*+,-./',
    '0123456789:;<=>?',
    '¡ABCDEFGHIJKLMNO',
    'PQRSTUVWXYZÄÖÑÜ§',
    '¿abcdefghijklmno',
    'pqrstuvwxyzäöñüà',
  ],
  single: [
    '··········\f·····',
    '····^···········',
    '········{}·····\\',
    '············[~]·',
    '|···············',
    '················',
    '·····€··········',
    '················',
  ],
};

export const turkish: Cells = {
  identifier: 1,
  locking: [
    '@£$¥€éùıòÇ\nĞğ\rÅå',
    'Δ_ΦΓΛΩΠΨΣΘΞ·ŞşßÉ',
    ' !"#¤%&\'()*+,-./',
    '0123456789:;<=>?',
    'İABCDEFGHIJKLMNO',
    'PQRSTUVWXYZÄÖÑÜ§',
    'çabcdefghijklmno',
    'pqrstuvwxyzäöñüà',
  ],
  single: [
    '··········\f·····',
    '····^···········',
    '········{}·····\\',
    '············[~]·',
    '|······Ğ·İ······',
    '···Ş············',
    '···ç·€·ğ·ı······',
    '···ş············',
  ],
};

export const spanish: Cells = {
  identifier: 2,
  single: [
    '·········ç\f·····',
    '····^···········',
    '········{}·····\\',
    '············[~]·',
    '|Á·······Í·····Ó',
    '·····Ú··········',
    '·á···€···í·····ó',
    '·····ú··········',
  ],
};

export const portuguese: Cells = {
  identifier: 3,
  locking: [
    '@£$¥êéúíóç\nÔô\rÁá',
    'Δ_ªÇÀ∞^\\€Ó|·ÂâÊÉ',
    ' !"#º%&\'()*+,-./',
    '0123456789:;<=>?',
    'ÍABCDEFGHIJKLMNO',
    'PQRSTUVWXYZÃÕÚÜ§',
    '~abcdefghijklmno',
    'pqrstuvwxyzãõ`üà',
  ],
  single: [
    '·····ê···ç\fÔô·Áá',
    '··ΦΓ^ΩΠΨΣΘ·····Ê',
    '········{}·····\\',
    '············[~]·',
    '|À·······Í·····Ó',
    '·····Ú·····ÃÕ···',
    '·Â···€···í·····ó',
    '·····ú·····ãõ··â',
  ],
};
