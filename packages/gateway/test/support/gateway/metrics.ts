/* Scrapes the metrics of a gateway, and reads them. */

import { HttpClient } from '../clients/http-client.ts';

export interface Metrics {
  readonly text: string;
  readonly names: ReadonlySet<string>;
  /** The value of a sample, such as `morsel_link_bound{carrier="alpha",link="1"}`; undefined without this sample. */
  value(sample: string): number | undefined;
}

export async function scrape(adminPort: number, key: string): Promise<Metrics> {
  const client = new HttpClient(adminPort);
  try {
    const answer = await client.ask({ path: '/metrics', headers: { authorization: `Bearer ${key}` } });
    if (answer.status !== 200) throw new Error(`the scrape was answered with ${answer.status}: ${answer.text}`);
    return metricsIn(answer.text);
  } finally {
    client.close();
  }
}

function metricsIn(text: string): Metrics {
  const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const values = new Map(
    samples.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
  const declared = text.matchAll(/^# TYPE (\S+)/gm);
  return { text, names: new Set([...declared].map(([, name = '']) => name)), value: (sample) => values.get(sample) };
}
