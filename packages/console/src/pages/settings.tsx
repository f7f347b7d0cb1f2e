/* The viewer's own sign-in, operators and their keys, alarms, nodes, privacy, and the settings as a document. */

import { operator } from '@morsel/api/admin/access/operator.ts';
import { operatorKey } from '@morsel/api/admin/access/operator-key.ts';
import { alarm } from '@morsel/api/admin/alarm/alarm.ts';
import { alarmReceiver } from '@morsel/api/admin/alarm/receiver.ts';
import { encryptionKey } from '@morsel/api/admin/privacy/encryption-key.ts';
import { privacy } from '@morsel/api/admin/privacy/privacy.ts';
import { retention } from '@morsel/api/admin/privacy/retention.ts';
import { config } from '@morsel/api/admin/running/config.ts';
import { node } from '@morsel/api/admin/running/node.ts';
import { Act, Acts } from '../ui/action.tsx';
import { Head } from '../ui/page/head.tsx';
import { Parts, type Part } from '../ui/resource.tsx';
import { Code, css, Note } from '../ui/ui.tsx';
import { words } from '../words/words.ts';
import { agentCell } from './cells.tsx';
import { ConfigDocument } from './settings/config.tsx';
import { SignInSettings } from './settings/own.tsx';

const nodesMs = 2_000;

const parts: Readonly<Record<string, Part>> = {
  own: { of: operatorKey, verb: 'sessions', label: words.settings.own, content: () => <SignInSettings /> },
  operators: {
    of: operator,
    actions: (row) => (
      <>
        <Acts of={operator} row={row} except={{ signInLink: { onDone: signInLinkOf } }} />
        <Act of={operatorKey} verb="add" row={row} />
      </>
    ),
    also: [{ of: operatorKey, hasAdd: false, acts: ['revoke'], cells: { agent: agentCell } }],
  },
  alarms: { of: alarmReceiver, label: words.settings.alarms, also: [{ of: alarm, verb: 'kinds', acts: ['set'] }] },
  config: { of: config, verb: 'show', content: () => <ConfigDocument /> },
  nodes: { of: node, acts: ['drain', 'resume'], refetchMs: nodesMs },
  privacy: {
    of: retention,
    label: words.settings.privacy,
    also: [
      { of: privacy, toolbar: <Act of={privacy} verb="erase" hasResult /> },
      {
        of: encryptionKey,
        toolbar: (
          <>
            <Act of={encryptionKey} verb="rotate" hasResult />
            <Act of={encryptionKey} verb="rewrap" hasResult />
          </>
        ),
      },
    ],
  },
};

export function Settings() {
  return (
    <>
      <Head title={words.pages.settings} />
      <Parts parts={parts} />
    </>
  );
}

function signInLinkOf(answer: Readonly<Record<string, unknown>>) {
  return (
    <div className={css['stack']}>
      <Note tone="good">{words.settings.linkAbout}</Note>
      <Code
        label={words.settings.link}
        text={`${location.origin}/sign-in#${String(answer['link']).replace(/^.*#/, '')}`}
      />
    </div>
  );
}
