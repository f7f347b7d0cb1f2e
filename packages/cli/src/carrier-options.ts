import { idRules, inDoubtPolicies } from '@morsel/gateway/core/routing/carrier.ts';
import {
  bindModes,
  gsmCodings,
  longMessageMethods,
  numberForms,
  presets,
  smppVersions,
  textReceiptModes,
  tlsModes,
  ucsCodings,
  validityForms,
} from '@morsel/gateway/core/routing/carrier-profile.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { usage } from './command.ts';
import type { Failure, Input, Option, Shell } from './command.ts';
import { contentOf, firstLineOf } from './file-content.ts';

/* What `carrier add` and `carrier set` take. In brackets stands what holds when a new carrier is not told. */

/** Where it is and who we are there: a new carrier needs all of it. */
const address: readonly Option[] = [
  { flags: '--host <host>', summary: 'where its SMSC listens' },
  { flags: '--port <port>', summary: 'and on which port' },
  { flags: '--system-id <id>', summary: 'who we are there, up to 15 characters' },
];

const rest: readonly Option[] = [
  {
    flags: '--password <password>',
    summary:
      'our password there; others on this machine may see it go by. SMPP has 8 characters, some carriers take more',
  },
  { flags: '--password-file <file>', summary: 'a file that holds the password in its first line' },
  { flags: '--password-stdin', summary: 'read the password from standard input' },
  { flags: '--system-type <type>', summary: 'what some carriers ask for, up to 12 characters (empty)' },
  { flags: '--window <count>', summary: 'requests a link may have in flight (10)' },
  { flags: '--throughput <count>', summary: 'messages a second a link, 0 for no limit (0)' },
  { flags: '--links <count>', summary: 'how many links at once (1)' },
  {
    flags: '--in-doubt <policy>',
    summary: 'what becomes of a part whose answer never came (resend)',
    choices: inDoubtPolicies,
  },
  {
    flags: '--id-rule <rule>',
    summary:
      'how ids in answers and receipts compare: learned from its first receipts, see carrier learned (auto); the same; or one of them is hexadecimal',
    choices: idRules,
  },
  {
    flags: '--cost-list <name>',
    summary: 'the price list that says what it takes a part, by prefix; none for none (none)',
  },
  {
    flags: '--preset <name>',
    summary: 'the profile to begin with: see carrier presets (standard)',
    choices: Object.keys(presets),
  },
  { flags: '--bind <mode>', summary: 'one transceiver, or transmitter and receiver apart', choices: bindModes },
  { flags: '--version <version>', summary: 'the SMPP version we bind with (3.4)', choices: smppVersions },
  { flags: '--address-range <range>', summary: 'of the bind (empty)' },
  { flags: '--receiver-host <host>', summary: 'where the receiver binds, if elsewhere; needs --bind separate' },
  { flags: '--receiver-port <port>', summary: 'and on which port' },
  { flags: '--receiver-system-id <id>', summary: 'as whom, if not as the transmitter' },
  { flags: '--receiver-password-file <file>', summary: 'and with which password; or none' },
  { flags: '--sender-international <ton/npi>', summary: 'type of a sender that is a number (1/1)' },
  { flags: '--sender-short-code <ton/npi>', summary: 'type of a sender that is a short code (3/0)' },
  { flags: '--sender-alphanumeric <ton/npi>', summary: 'type of a sender that is a name (5/0)' },
  { flags: '--receiver-number <ton/npi>', summary: 'type of the receiver (1/1)' },
  { flags: '--number-form <form>', summary: 'bare digits, with + or with 00 (bare)', choices: numberForms },
  {
    flags: '--country-code <code>',
    summary: 'of numbers in what comes that have none, as 0791112233: 41; or none, for that of the other number (none)',
  },
  { flags: '--gsm-coding <coding>', summary: 'how GSM texts are written (gsm7)', choices: gsmCodings },
  { flags: '--gsm-data-coding <code>', summary: 'and their data_coding (0x00)' },
  { flags: '--gsm-flash-data-coding <code>', summary: 'of those that are shown at once (0x10)' },
  { flags: '--ucs-coding <coding>', summary: 'how other texts are written (ucs2)', choices: ucsCodings },
  { flags: '--ucs-data-coding <code>', summary: 'and their data_coding (0x08)' },
  { flags: '--ucs-flash-data-coding <code>', summary: 'of those that are shown at once (0x18)' },
  { flags: '--inbound-codings <table>', summary: 'how what comes is read, by data_coding: 0=latin1,8=ucs2-le' },
  { flags: '--long-messages <method>', summary: 'how their parts are told (udh)', choices: longMessageMethods },
  { flags: '--validity-form <form>', summary: 'how the validity is told (none)', choices: validityForms },
  { flags: '--registered-delivery <code>', summary: 'what asks for a receipt (0x01)' },
  {
    flags: '--text-receipts <mode>',
    summary:
      'read an unmarked text as a receipt: auto does so until the carrier marks a receipt by esm_class or TLV (default: auto)',
    choices: textReceiptModes,
  },
  { flags: '--extra-tlvs <list>', summary: 'sent with each message: 0x1400=4a6f,...' },
  {
    flags: '--pass-tlvs <tags>',
    summary:
      "pass on these of a client's vendor parameters, such as 0x1400,0x1401; any passes on all, an empty text none (default: none)",
  },
  {
    flags: '--status-classes <table>',
    summary: 'what command_status means: 0x405=temporary,0x500=throttled,0x14=permanent',
  },
  { flags: '--tls <mode>', summary: 'off, verified, or with any certificate (off)', choices: tlsModes },
  { flags: '--tls-server-name <name>', summary: 'the name its certificate has, if not the host' },
  { flags: '--tls-ca-file <file>', summary: 'PEM: whose certificates are trusted; the word none for the system’s' },
  { flags: '--tls-certificate-file <file>', summary: 'PEM: our certificate, where the carrier wants one; or none' },
  { flags: '--tls-key-file <file>', summary: 'PEM: and its key, without a passphrase; or none' },
  { flags: '--answer-timeout-ms <ms>', summary: 'how long an answer is waited for (30000)' },
  { flags: '--enquire-link-ms <ms>', summary: 'a link silent for so long is asked whether it lives (30000)' },
  { flags: '--back-off-min-ms <ms>', summary: 'the wait before a link connects again begins with this (500)' },
  { flags: '--back-off-max-ms <ms>', summary: 'and grows to this (30000)' },
];

export const newCarrierOptions: readonly Option[] = [
  ...address.map((option) => ({ ...option, isRequired: true })),
  ...rest,
];
export const carrierChangeOptions: readonly Option[] = [...address, ...rest];

/** Options whose value is a file, and the field that its content is. */
const files = {
  tlsCaFile: 'tlsCa',
  tlsCertificateFile: 'tlsCertificate',
  tlsKeyFile: 'tlsKey',
} as const;

/** The fields of a request: what was typed, and what stands in the files that were named. */
export async function fieldsOf(
  input: Input,
  shell: Shell,
): Promise<Result<{ readonly [field: string]: string }, Failure>> {
  const { passwordFile: _file, receiverPasswordFile, ...values } = input.values;
  const fields: { [field: string]: string } = { ...values };
  const password = await passwordOf(input, shell);
  if (!password.ok) return password;
  if (password.value !== undefined) fields['password'] = password.value;
  if (receiverPasswordFile !== undefined) {
    const read = await contentOrNone(receiverPasswordFile);
    if (!read.ok) return read;
    fields['receiverPassword'] = firstLineOf(read.value);
  }
  for (const [option, field] of Object.entries(files)) {
    const file = values[option];
    if (file === undefined) continue;
    delete fields[option];
    const read = await contentOrNone(file);
    if (!read.ok) return read;
    fields[field] = read.value;
  }
  return ok(fields);
}

/** The password, from the one place that was named; nothing if none was. */
async function passwordOf({ values, flags }: Input, shell: Shell): Promise<Result<string | undefined, Failure>> {
  const { password, passwordFile } = values;
  const isPiped = flags.has('passwordStdin');
  const places = Number(password !== undefined) + Number(passwordFile !== undefined) + Number(isPiped);
  if (places > 1) return refused(usage('name one of --password, --password-file and --password-stdin'));
  if (places === 0 || password !== undefined) return ok(password);
  const text = passwordFile === undefined ? ok(await shell.readInput()) : await contentOf(passwordFile);
  return text.ok ? ok(firstLineOf(text.value)) : text;
}

/** What was set is taken away with the word none, or with nothing. */
async function contentOrNone(file: string): Promise<Result<string, Failure>> {
  return file === 'none' || file === '' ? ok('none') : contentOf(file);
}
