import type { Rejection } from '../../../core/base/rejection.ts';
import { tokenIdOf } from '../../../core/account/token.ts';
import type { NotificationContent } from '../../../core/notification/notification.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import type { Exchange, Success } from '../../http/routes.ts';
import { httpStatus } from '../../refusals.ts';
import type { ClientApi } from '../client-api.ts';
import type { ClientDialect } from '../dialect.ts';

/* A proof of the seams: an API with GET and Basic authentication, which answers and notifies in plain text. */

const text = { 'Content-Type': 'text/plain; charset=utf-8' };

export const echo: ClientDialect<'echo'> = {
  routes: (api) => [{ path: '/echo/send', methods: ['GET'], run: (exchange) => send(api, exchange) }],
  refuse: (rejection) => ({ status: httpStatus(rejection), headers: text, body: `REFUSED ${rejection.code}` }),
  forms: {
    echo: {
      write: (notification, { path }) => {
        const body = lineOf(notification);
        return { path, body, type: text['Content-Type'], signed: body };
      },
      acknowledges: (status) => status === 202,
    },
  },
};

async function send(api: ClientApi, exchange: Exchange): Promise<Result<Success, Rejection>> {
  const token = passwordOf(exchange.request.headers.authorization ?? '');
  const account = api.authenticate(token, exchange.address, 'send');
  if (!account.ok) return account;
  exchange.account = account.value.name;
  const query = new URLSearchParams(exchange.request.url?.split('?')[1]);
  const [sender = '', receiver = '', said = ''] = ['from', 'to', 'text'].map((name) => query.get(name) ?? '');
  const draft = { sender, receiver, text: said, dcs: 'SMS' };
  const by = { name: tokenIdOf(token ?? ''), address: exchange.address };
  const accepted = await api.submit(account.value, { draft, source: 'echo', by });
  return accepted.ok ? ok({ status: 202, headers: text, body: `TAKEN ${accepted.value.msgId}` }) : accepted;
}

/** The password of Basic authentication (RFC 7617), which is a token here. */
function passwordOf(header: string): string | undefined {
  const [, encoded = ''] = /^basic +(\S+)$/i.exec(header) ?? [];
  return Buffer.from(encoded, 'base64').toString('utf8').split(':')[1];
}

function lineOf(notification: NotificationContent): string {
  switch (notification.kind) {
    case 'receipt':
      return `REPORT ${notification.msgId} ${notification.event}`;
    case 'inbound':
      return `MESSAGE ${notification.msgId} ${notification.sender} ${notification.text}`;
    case 'alert':
      return `ALERT ${notification.alert}`;
  }
}
