/* All settings as one document: shown, changed, compared and applied in one commit. */

import { config, planFields } from '@morsel/api/admin/running/config.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { labelFrom } from '@morsel/api/fields/shown.ts';
import { useState } from 'react';
import { useChange } from '../../app/change.ts';
import { calls, callsOnce, valueOf } from '../../app/client.ts';
import { Differences } from '../../ui/differences.tsx';
import { ChoiceInput, TextInput } from '../../ui/form/inputs.tsx';
import { Button, Card, Code, css, Failure, Loading, Note, useGuard } from '../../ui/ui.tsx';
import { words } from '../../words/words.ts';

type Plan = AnswerOf<typeof config.operations.plan>;

export function ConfigDocument() {
  const queries = useQueryClient();
  const found = useQuery({ queryKey: ['config'], queryFn: () => valueOf(calls.config.show()) });
  const [text, setText] = useState<string>();
  const [prune, setPrune] = useState('false');
  const [plan, setPlan] = useState<Plan>();
  const document = text ?? (found.data && pretty(found.data.config)) ?? '';
  const given = { config: document, prune: prune === 'true' };
  const planning = useMutation({ mutationFn: () => valueOf(calls.config.plan(given)), onSuccess: setPlan });
  const applying = useChange({
    change: (key, version: string) => valueOf(callsOnce(key).config.apply({ ...given, version })),
    onSuccess: async () => {
      setPlan(undefined);
      setText(undefined);
      await queries.invalidateQueries();
    },
  });
  const change = (next: string) => {
    setPlan(undefined);
    setText(next);
  };
  const { question } = useGuard(text === undefined ? 0 : 1);
  if (found.error && !found.data) return <Failure error={found.error} />;
  if (!found.data) return <Loading />;
  const error = planning.error ?? applying.error;
  return (
    <Card
      title={words.settings.config}
      actions={
        <a
          className={css['button']}
          href={`data:application/json,${encodeURIComponent(document)}`}
          download="morsel.json"
        >
          {words.settings.download}
        </a>
      }
    >
      <div className={css['stack']}>
        {question}
        <p>{words.settings.configAbout}</p>
        <TextInput label={words.settings.document} text={document} onText={change} rows={documentRows} />
        <ChoiceInput
          label={words.settings.prune}
          text={prune}
          onText={(next) => {
            setPlan(undefined);
            setPrune(next);
          }}
          choices={['false', 'true']}
          hint={config.operations.plan.input.prune.about.summary}
        />
        {plan && <Steps plan={plan} />}
        {error && <Failure error={error} isChange={!planning.error} />}
        {applying.data && (
          <Note tone="good">
            {words.settings.applied(applying.data.steps.length)}
            {applying.data.secrets.map(({ what, secret }) => (
              <Code key={what} label={what} text={secret} />
            ))}
          </Note>
        )}
        <div className={css['row']}>
          <Button
            {...(plan ? {} : { kind: 'primary' })}
            disabled={planning.isPending}
            onClick={() => planning.mutate()}
          >
            {words.settings.plan}
          </Button>
          {plan && plan.steps.length > 0 && (
            <Button kind="danger" disabled={applying.isPending} onClick={() => applying.start(plan.version)}>
              {words.settings.apply(plan.steps.length)}
            </Button>
          )}
        </div>
      </div>
    </Card>
  );
}

const documentRows = 20;
const indent = '  ';

/** Breaks JSON into lines, token by token, so that amounts keep all their digits. */
function pretty(json: string): string {
  let depth = 0;
  const line = () => `\n${indent.repeat(depth)}`;
  return json.replaceAll(/"(?:[^"\\]|\\.)*"|\{\}|\[\]|[{}[\],:]/g, (token) => {
    if (token === '{' || token === '[') {
      depth += 1;
      return `${token}${line()}`;
    }
    if (token === '}' || token === ']') {
      depth -= 1;
      return `${line()}${token}`;
    }
    if (token === ',') return `,${line()}`;
    return token === ':' ? ': ' : token;
  });
}

export function Steps({ plan }: { readonly plan: Pick<Plan, 'steps'> }) {
  if (plan.steps.length === 0) return <Note>{words.settings.nothingToDo}</Note>;
  return (
    <Note>
      <ul className={css['plain']} title={planFields.steps.about.summary}>
        {plan.steps.map(({ action, what, changes }) => (
          <li key={`${action} ${what}`}>
            <strong>
              {action} {what}
            </strong>
            <Differences changes={changes.map(({ field, ...each }) => ({ label: labelFrom(field), ...each }))} />
          </li>
        ))}
      </ul>
    </Note>
  );
}
