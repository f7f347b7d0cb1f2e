/* The time range and the zone of all pages, in the head of every page. */

import { isTimeZone } from '@morsel/api/values/time.ts';
import { useNavigate } from '@tanstack/react-router';
import { useRef, type FormEvent } from 'react';
import { TextInput } from '../ui/form/inputs.tsx';
import { Choices } from '../ui/page/choices.tsx';
import { Button, css as ui } from '../ui/ui.tsx';
import { words } from '../words/words.ts';
import { localTime, viewer } from './format.ts';
import { isoOf, isRange, keepZone, periodOf, ranges, readTime, zoneOf } from './range.ts';
import { useTexts, useTyped } from './search.ts';
import css from './shell.module.css';

const { range: said } = words;

export function TimeRange() {
  const search = useTexts();
  const navigate = useNavigate();
  const box = useRef<HTMLDetailsElement>(null);
  const { range = '' } = search;
  const [begin, end] = periodOf(isRange(range) ? {} : search).map((at) => (at === undefined ? '' : localTime(at)));
  const [texts, setTexts] = useTyped({ from: begin ?? '', to: end ?? '', zone: zoneOf(search) });
  const { from = '', to = '', zone = '' } = texts;
  const chosen = isRange(range) ? said.names[range] : begin || end ? said.between(begin ?? '', end ?? '') : said.all;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isWrong(from) || isWrong(to) || !isTimeZone(zone)) return;
    keepZone(zone);
    const times = from === begin && to === end ? {} : { range: undefined, from: isoOf(from), to: isoOf(to) };
    void navigate({ to: '.', search: (before) => ({ ...before, after: undefined, ...times, zone }) });
    box.current?.removeAttribute('open');
  };
  const input = (name: 'from' | 'to', typed: string) => (
    <TextInput
      label={said[name]}
      text={typed}
      onText={(text) => setTexts({ ...texts, [name]: text })}
      placeholder={said.example}
      hint={typed === '' ? '' : `= ${localTime(readTime(typed) ?? 0)}`}
      error={isWrong(typed) ? said.wrong : undefined}
    />
  );
  return (
    <details ref={box} className={css['range']}>
      <summary className={ui['button']}>
        {chosen} <span className={ui['soft']}>{viewer.zone.replace(/.*\//, '').replaceAll('_', ' ')}</span>
      </summary>
      <form className={css['rangeForm']} onSubmit={submit}>
        <Choices
          label={said.title}
          of="range"
          choices={[
            ...Object.keys(ranges)
              .filter(isRange)
              .map((name) => ({ name, label: said.names[name] })),
            { name: '', label: said.all },
          ]}
          chosen={begin || end ? undefined : range}
          instead={['from', 'to', 'since', 'until', 'after']}
        />
        {input('from', from)}
        {input('to', to)}
        <TextInput
          label={said.zone}
          text={zone}
          onText={(text) => setTexts({ ...texts, zone: text })}
          error={isTimeZone(zone) ? undefined : said.wrongZone}
        />
        <Button type="submit" kind="primary">
          {said.apply}
        </Button>
      </form>
    </details>
  );
}

function isWrong(typed: string): boolean {
  return typed !== '' && readTime(typed) === undefined;
}
