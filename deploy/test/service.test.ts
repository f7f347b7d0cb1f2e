import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, describe, it } from 'node:test';
import { anyPorts } from '../../packages/gateway/test/support/gateway/child.ts';
import { Place, plainEnvironment } from './installed.ts';

/*
 * The unit of systemd, and the messages of `serve` to a service manager. The service manager is a socket of this test.
 */

const place = new Place();
const root = join(import.meta.dirname, '../..');
const unit = join(root, 'deploy/morsel.service');

const perl = '/usr/bin/perl';

/** Prints each message that arrives at the socket as one line. Node has no datagram sockets of Unix. */
const receiver = `use Socket; $| = 1; socket(my $s, AF_UNIX, SOCK_DGRAM, 0) or die;
  bind($s, pack_sockaddr_un($ARGV[0])) or die; print "bound\\n";
  while (defined recv($s, my $m, 4096, 0)) { $m =~ s/\\n/ /g; print "$m\\n" }`;

describe('the service', () => {
  after(() => place[Symbol.asyncDispose]());

  it('has a unit that gives the gateway few rights on the machine', () => {
    const said = place.run('systemd-analyze', ['security', '--offline=true', '--threshold=20', '--no-pager', unit]);
    assert.match(said, /Overall exposure level for morsel\.service: (?:0\.\d|1\.\d|2\.0) OK/);
  });

  it('tells systemd that it is ready, alive and stopping', async () => {
    const socket = join(place.path, 'notify');
    const manager = spawn(perl, ['-e', receiver, socket], { stdio: ['ignore', 'pipe', 'inherit'] });
    const lines = createInterface({ input: manager.stdout })[Symbol.asyncIterator]();
    const next = async (): Promise<string> => String((await lines.next()).value).trim();
    assert.equal(await next(), 'bound');
    const gateway = place.start(process.execPath, [join(root, 'packages/cli/src/morsel.ts'), 'serve', '--json'], {
      env: plainEnvironment({
        ...anyPorts,
        MORSEL_DATA_DIR: join(place.path, 'data'),
        NOTIFY_SOCKET: socket,
        WATCHDOG_USEC: '300000',
      }),
    });
    const messages = async (wanted: string): Promise<void> => {
      // systemd-notify sends BARRIER=1 to learn that its message was read.
      for (let each = await next(); each !== wanted; each = await next()) {
        assert.ok(['BARRIER=1', 'WATCHDOG=1'].includes(each), each);
      }
    };
    await messages('READY=1');
    await messages('WATCHDOG=1');
    await messages('WATCHDOG=1');
    const ended = gateway.stop();
    await messages('STOPPING=1');
    assert.equal(await ended, 0);
    manager.kill();
    await once(manager, 'close');
  });
});
