/* The fields of the sign-in to the console. The sign-in is no operation, because the operator has no key yet. */

import { optional } from '../../fields/compose.ts';
import { name, text, textThat } from '../../fields/fields.ts';

/** The length makes a password strong (NIST SP 800-63B, section 5.1.1). */
const passwordMin = 12;
const passwordMax = 200;

const operator = name({ summary: 'your name as an operator', example: 'jane' });

export const newPassword = textThat(
  { summary: `a password of at least ${passwordMin} characters`, isSecret: true },
  (given) => given.length >= passwordMin && given.length <= passwordMax,
  { placeholder: '<password>', wants: `must have ${passwordMin} to ${passwordMax} characters` },
);

/**
 * The fields that an operator gives to change the own sign-in. A session is not enough: somebody may have left a screen
 * open.
 */
export const presentFields = {
  presentPassword: text({ summary: 'your present password', isSecret: true }),
  presentCode: optional(text({ summary: 'a code of your authenticator app, if you use one already', isSecret: true })),
};

export const signInFields = {
  operator,
  password: text({ summary: 'your password', isSecret: true }),
  code: optional(text({ summary: 'the code of your authenticator app, if you use one', isSecret: true })),
};

export const signInLinkFields = {
  link: text({ summary: 'secret of the link', isSecret: true }),
  operator: optional(operator),
  password: newPassword,
};
