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
import { useMay } from '../app/session.ts';
import { ActionButton } from '../ui/action.tsx';
import { Head } from '../ui/head.tsx';
import { List } from '../ui/list.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { Code, css, Note } from '../ui/ui.tsx';
import { words } from '../words/words.ts';
import { agentCell } from './cells.tsx';
import { ConfigDocument } from './settings/config.tsx';
import { SignInSettings } from './settings/own.tsx';

export function Settings() {
  const may = useMay();
  const tabs = [
    { name: 'own', label: words.settings.own, of: operatorKey.operations.sessions, content: () => <SignInSettings /> },
    { name: 'operators', label: words.settings.operators, of: operator.operations.list, content: () => <Operators /> },
    { name: 'alarms', label: words.settings.alarms, of: alarm.operations.kinds, content: () => <Alarms /> },
    { name: 'config', label: words.settings.config, of: config.operations.show, content: () => <ConfigDocument /> },
    { name: 'nodes', label: words.settings.nodes, of: node.operations.list, content: () => <Nodes /> },
    { name: 'privacy', label: words.settings.privacy, of: retention.operations.list, content: () => <Privacy /> },
  ].filter(({ of }) => may(of));
  return (
    <>
      <Head title={words.pages.settings} />
      <Tabs tabs={tabs} />
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

function Operators() {
  const { add, list, set, remove, signInLink, withoutCodes } = operator.operations;
  const keys = operatorKey.operations;
  return (
    <>
      <List
        title={words.settings.operators}
        operation={list}
        toolbar={<ActionButton label={words.settings.addOperator} operation={add} kind="primary" />}
        actions={(row) => {
          const fixed = { operator: row['operator'] };
          return (
            <>
              <ActionButton
                label={words.settings.signInLink}
                operation={signInLink}
                fixed={fixed}
                onDone={signInLinkOf}
              />
              <ActionButton label={words.edit} operation={set} fixed={fixed} row={row} />
              <ActionButton label={words.settings.addKey} operation={keys.add} fixed={fixed} />
              <ActionButton
                label={words.settings.withoutCodes}
                operation={withoutCodes}
                fixed={fixed}
                warning={words.settings.withoutCodesWarns}
              />
              <ActionButton
                label={words.remove}
                operation={remove}
                fixed={fixed}
                kind="danger"
                warning={words.settings.removeOperatorWarns}
              />
            </>
          );
        }}
        whenEmpty={words.settings.noOperators}
      />
      <List
        title={words.settings.keys}
        operation={keys.list}
        cells={{ agent: agentCell }}
        actions={({ id, revokedAt }) =>
          revokedAt === null && (
            <ActionButton
              label={words.account.revoke}
              operation={keys.revoke}
              fixed={{ id }}
              kind="danger"
              warning={words.settings.revokeWarns}
            />
          )
        }
      />
    </>
  );
}

function Alarms() {
  const receivers = alarmReceiver.operations;
  return (
    <>
      <List
        title={words.settings.receivers}
        operation={receivers.list}
        toolbar={<ActionButton label={words.settings.addReceiver} operation={receivers.add} kind="primary" />}
        actions={(row) => {
          const fixed = { receiver: row['receiver'] };
          return (
            <>
              <ActionButton label={words.test} operation={receivers.test} fixed={fixed} hasResult />
              <ActionButton label={words.edit} operation={receivers.set} fixed={fixed} row={row} />
              <ActionButton
                label={words.remove}
                operation={receivers.remove}
                fixed={fixed}
                kind="danger"
                warning={words.settings.removeReceiverWarns}
              />
            </>
          );
        }}
        whenEmpty={words.settings.noReceivers}
      />
      <List
        title={words.settings.alarmKinds}
        operation={alarm.operations.kinds}
        actions={(row) => (
          <ActionButton label={words.edit} operation={alarm.operations.set} fixed={{ kind: row['kind'] }} row={row} />
        )}
      />
    </>
  );
}

function Nodes() {
  const { list, drain, resume } = node.operations;
  return (
    <List
      title={words.settings.nodes}
      operation={list}
      actions={({ name, state }) =>
        state === 'draining' ? (
          <ActionButton label={words.resume} operation={resume} fixed={{ name }} />
        ) : (
          <ActionButton
            label={words.carrier.drain}
            operation={drain}
            fixed={{ name }}
            kind="danger"
            warning={words.settings.drainWarns}
            hasResult
          />
        )
      }
      whenEmpty={words.settings.noNodes}
      refetchMs={2_000}
    />
  );
}

function Privacy() {
  return (
    <>
      <List title={words.settings.retention} operation={retention.operations.list} />
      <List
        title={words.settings.erasures}
        operation={privacy.operations.list}
        toolbar={
          <ActionButton
            label={words.settings.eraseNumber}
            operation={privacy.operations.erase}
            kind="danger"
            warning={words.settings.eraseWarns}
            hasResult
          />
        }
        whenEmpty={words.settings.noErasures}
      />
      <List
        title={words.settings.encryptionKeys}
        operation={encryptionKey.operations.list}
        toolbar={
          <>
            <ActionButton label={words.settings.rotateKeys} operation={encryptionKey.operations.rotate} hasResult />
            <ActionButton label={words.settings.rewrapKeys} operation={encryptionKey.operations.rewrap} hasResult />
          </>
        }
      />
    </>
  );
}
