import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isEasyToGuess } from './operator-password.ts';

const easy = [
  'Password-Password',
  'qwerty-password',
  'iloveyou-iloveyou',
  'admin-admin-admin',
  'trustno1-trustno1',
  'password-letmein-qwerty',
  'password - letmein - 1',
  'P@ssw0rd-qwerty-letm3in',
  'Password-2026-Password',
  'Morsel2026!!',
  'gateway-console',
  'Welcome-Morsel-2026',
  'SMSGateway2026!',
  'smsgateway-admin',
  'November2026!',
  'Summer2026!!!',
  'Wednesday-2026!',
  'Spring-Summer-2026',
  'October-2026-!!',
  'night-shift-2026!',
  'nightshift-2026!',
  'N1ghtsh1ft-2026',
  'night_shift_gateway',
  'Night-Shift-Night-Shift',
];
const good = [
  'correct horse battery',
  'correct horse battery staple',
  'correct-horse-battery',
  'kettle otter violin',
  'glacier.tulip.anvil',
  'maple syrup tractor',
  'PurpleTractor77Sky',
  'aq3vbn7ytrmk',
  'hT4$wq8Zb!nE',
  '3rT!-9x_Kp2#',
  'abX+-9kQm~Rt7',
  'lbad|,=<7Vw,',
  '+0s2G~;_@q6Z',
  'c00OO/.~%eq8',
];

it('passwords of common words, usual words and the operator’s name are easy to guess', async () => {
  for (const each of easy) assert.equal(await isEasyToGuess(each, 'night-shift'), true, each);
  assert.equal(await isEasyToGuess('oviewer-2026!', 'oviewer'), true);
});

it('passwords of three uncommon words or twelve random characters are not easy to guess', async () => {
  for (const each of good) assert.equal(await isEasyToGuess(each, 'night-shift'), false, each);
});
