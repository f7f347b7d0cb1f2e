import { startSimulator, type Simulator } from '@morsel/simulator';
import type { Gateway } from '@morsel/gateway/app.ts';
import type { Config } from '@morsel/gateway/config.ts';
import type { Rejection } from '@morsel/gateway/core/base/rejection.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { Failure, Report, Shell } from '../command.ts';
import { askingDemo, claimDemoDirectory, demoDirectory } from './demo-directory.ts';
import { demoAccount, prepareDemo } from './demo-settings.ts';
import { endingsHelp } from '../help/endings-help.ts';
import { ownName } from './own-name.ts';
import { consoleText, smppText } from './serve.ts';
import { namesIn, opening, configOf, start, urlOf } from './start.ts';
import { stopSignals } from './stop-signals.ts';

/* Runs a gateway with a simulated carrier, to try it. */

const simulatorHost = '127.0.0.1';

const login = { systemId: 'demo', password: 'demo' };

/** The endings of receivers that the demo names as examples. */
const examples = ['9902', '9914', '9930', '9933', '9942', '9960'];

/** Runs the demo. Prints how to send a message through gateway and carrier. */
export async function demo(shell: Shell): Promise<Result<undefined, Failure>> {
  const settings = configOf(shell, { MORSEL_DATA_DIR: demoDirectory });
  if (!settings.ok) return settings;
  const config = settings.value;
  const claimed = claimDemoDirectory(config.dataDir);
  if (!claimed.ok) return refused({ kind: 'refused', detail: claimed.error });
  const stopped = stopSignals();
  const opened = await opening(namesIn(config), () =>
    startSimulator({ host: simulatorHost, port: config.simulatorPort, ...login }),
  );
  if (!opened.ok) return opened;
  await using simulator = opened.value;
  const started = await start(config);
  if (!started.ok) return started;
  const gateway = started.value;
  const token = await prepareDemo(gateway.operator, { host: simulatorHost, port: simulator.port, ...login });
  if (!token.ok) {
    await gateway.stop();
    return refused({ kind: 'refused', detail: sentenceOf(token.error) });
  }
  shell.report(await readyReport(config, { gateway, simulator, token: token.value }));
  await stopped;
  shell.warn('stopping, which waits up to 30 s for what is under way; Ctrl-C again ends the demo at once');
  await gateway.stop();
  return ok(undefined);
}

function sentenceOf(rejection: Rejection): string {
  return `the demo cannot be prepared: ${'detail' in rejection ? rejection.detail : rejection.code}`;
}

interface Running {
  readonly gateway: Gateway;
  readonly simulator: Simulator;
  readonly token: string;
}

async function readyReport(config: Config, { gateway, simulator, token }: Running): Promise<Report> {
  const { httpPort, adminPort } = gateway;
  const url = urlOf(config.httpHost, httpPort);
  const consoleUrl = await gateway.consoleUrl();
  const body = JSON.stringify({ auth: token, sender: 'Morsel', receiver: '+41791112233', text: 'Hello', dcs: 'SMS' });
  return {
    json: JSON.stringify({
      ready: true,
      httpHost: config.httpHost,
      httpPort,
      adminHost: config.adminHost,
      adminPort,
      smppPort: gateway.smppPort,
      smppTlsPort: gateway.smppTlsPort,
      simulatorPort: simulator.port,
      consoleUrl,
      dataDir: config.dataDir,
      pid: process.pid,
      account: demoAccount,
      token,
    }),
    text: `DEMO: nothing leaves this machine. Messages go to a simulated carrier, on ${simulatorHost}:${simulator.port}.

morsel is ready: clients at ${url}, operator at ${urlOf(config.adminHost, adminPort)}, data in ${config.dataDir}${smppText(config, gateway)}

To send a message as the account "${demoAccount}", which has a balance:

  curl -s ${url}/sms/send -H 'Content-Type: application/json' -d '${body}'

To ask for the state of the message, with the msgId of the answer as MSGID:

  curl -s '${url}/sms/dlr?auth=${token}&messageId=MSGID'

To see what happened to the message, as the operator:

  ${askingDemo(config.dataDir)} ${ownName} message show MSGID

To see and steer all of this in a browser:

  ${consoleText(consoleUrl)}

Stop the demo with Ctrl-C. The token is new at each start. ${endingsHelp(examples)}
`,
  };
}
