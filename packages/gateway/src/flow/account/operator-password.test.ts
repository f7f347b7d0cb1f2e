import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isEasyToGuess } from './operator-password.ts';

const easy = [
  'Password-Password',
  'trustno1-trustno1',
  'password - letmein - 1',
  'P@ssw0rd-qwerty-letm3in',
  'Morsel2026!!',
  'smsgateway-admin',
  'November2026!',
  'Spring-Summer-2026',
  'N1ghtsh1ft-2026',
  'Night-Shift-Night-Shift',
];
const good = [
  'correct horse battery',
  'glacier.tulip.anvil',
  'PurpleTractor77Sky',
  'aq3vbn7ytrmk',
  'lbad|,=<7Vw,',
  'c00OO/.~%eq8',
];

it('passwords of common words, usual words and the operator’s name are easy to guess', async () => {
  for (const each of easy) assert.equal(await isEasyToGuess(each, 'night-shift'), true, each);
  assert.equal(await isEasyToGuess('oviewer-2026!', 'oviewer'), true);
});

it('passwords of three uncommon words or twelve random characters are not easy to guess', async () => {
  for (const each of good) assert.equal(await isEasyToGuess(each, 'night-shift'), false, each);
});
