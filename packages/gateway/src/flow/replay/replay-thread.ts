/* The thread that replays messages. It reads with a thread of its own, so no client waits for either. */

import { parentPort, workerData } from 'node:worker_threads';
import { Reader } from '../../store/reader.ts';
import type { StorePlace } from '../../store/writer.ts';
import { failed, replayHour, type FromReplay, type ReplayRequest } from './replay.ts';

const { place, request }: { readonly place: StorePlace; readonly request: ReplayRequest } = workerData;
const send = (message: FromReplay) => parentPort?.postMessage(message);
const onFault = (reason: string) => send({ kind: 'fault', reason });
const onFatal = (reason: string) => {
  onFault(reason);
  send({ kind: 'done', answer: failed });
};
await using reader = new Reader({ place, onFault, onFatal });
send({ kind: 'done', answer: await replayHour(reader, request) });
