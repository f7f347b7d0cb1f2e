/* The commands `login` and `logout`, with which the command line calls a gateway on another machine. */

import { X509Certificate } from 'node:crypto';
import { operator } from '@morsel/api/admin/access/operator.ts';
import { createAdminClient } from '@morsel/api/admin/client.ts';
import { optional } from '@morsel/api/fields/compose.ts';
import type { Values } from '@morsel/api/fields/field.ts';
import { text, textThat } from '@morsel/api/fields/fields.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { namesDataDirectory } from '@morsel/gateway/config.ts';
import { failureIn } from '../admin-client.ts';
import { commandOf } from '../bind.ts';
import { usage, type Command, type Failure, type Report, type Shell } from '../command.ts';
import { loginFile, removeLogin, trustAlso, writeLogin, type Login } from './login-file.ts';

const input = {
  url: textThat(
    { summary: 'URL of the gateway: https://…, or http://… to this machine' },
    (given) => addressIn(given) !== undefined,
    {
      placeholder: '<url>',
      wants:
        'must be a URL such as https://gateway.example.net:8444; http:// is allowed only to localhost, because it shows the key to the network',
      example: 'https://gateway.example.net:8444',
    },
  ),
  key: optional(
    text({
      summary: 'operator key, as operator-key add printed it',
      isSecret: true,
      typed: ['file', 'stdin'],
    }),
  ),
  ca: optional(
    text({
      summary: 'certificate of the authority that signed the certificate of the gateway, in PEM',
      typed: ['file'],
      defaultText: 'the authorities that Node.js trusts',
    }),
  ),
};

export const loginCommands: readonly Command[] = [
  commandOf({
    words: 'login',
    summary: 'Use a gateway on another machine, with the key of an operator',
    input,
    arguments: ['url'],
    examples: {
      'login https://gateway.example.net:8444': 'ask for the key, and use this gateway from now on',
      'login https://10.0.0.7:8444 --ca-file ca.pem --key-file key.txt': 'trust an authority of your own, in a script',
    },
    notes: () => notes,
    run: login,
  }),
  {
    words: 'logout',
    summary: 'Forget the gateway and the key of morsel login',
    examples: { logout: 'use the gateway of the data directory on this machine again' },
    notes: () => 'The key itself still works: an owner ends it with operator-key revoke.',
    run: async (_input, { environment }) => {
      const said = removeLogin(environment) ? `the login is removed: ${loginFile(environment)}` : 'there is no login';
      return ok({ json: JSON.stringify({ file: loginFile(environment) }), text: said });
    },
  },
];

const notes = `The gateway needs a listener with TLS (MORSEL_ADMIN_TLS_CERT), or a proxy with TLS in front of it. The key is stored in a
file that only you can read, in the folder morsel of XDG_CONFIG_HOME (~/.config). If MORSEL_DATA_DIR is set, commands use
the gateway of that directory instead.`;

async function login({ url, key: given, ca }: Values<typeof input>, shell: Shell): Promise<Result<Report, Failure>> {
  const key = given ?? (await shell.askSecret?.('operator key: '));
  if (key === undefined)
    return refused(usage('give the key with --key-file or --key-stdin, because there is no terminal to ask on'));
  if (!/^morselop_[0-9a-f]{12}_[\w-]{51}$/.test(key)) {
    return refused(
      usage('the key must be an operator key, which begins with morselop_: an owner makes one with operator-key add'),
    );
  }
  if (ca !== undefined && !isCertificate(ca)) return refused(usage('ca-file must have a certificate in PEM'));
  if (ca !== undefined) await trustAlso(ca);
  const made: Login = { url: addressIn(url) ?? url, key, ...(ca === undefined ? {} : { ca }) };
  const self = await createAdminClient(made.url, { key }).operator.self();
  if (!self.ok) return refused(failureIn(self.error, operator.operations.self, { base: made.url }));
  writeLogin(shell.environment, made);
  if (namesDataDirectory(shell.environment)) {
    shell.warn(
      'MORSEL_DATA_DIR is set: commands use the gateway of that directory, and not this login, until you unset it',
    );
  }
  const { operator: name, role } = self.value;
  const file = loginFile(shell.environment);
  return ok({
    json: JSON.stringify({ url: made.url, operator: name, role, file }),
    text: `logged in to ${made.url} as ${name}, with the role ${role}\nThe key is in ${file}; morsel logout removes it.`,
  });
}

/** The URL without a slash at its end; undefined if the key must not be sent there. */
function addressIn(given: string): string | undefined {
  if (!URL.canParse(given)) return undefined;
  const { protocol, hostname, username, password, search, hash, href } = new URL(given);
  const isHere = ['localhost', '[::1]'].includes(hostname) || /^127(\.\d+){3}$/.test(hostname);
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isHere);
  return isSafe && username + password + search + hash === '' ? href.replace(/\/$/, '') : undefined;
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== '';
  } catch {
    return false;
  }
}
