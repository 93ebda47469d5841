import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { LocalRedis } from './local-redis.js';

/** Everything that a Redis is sent, also what it does not keep: the commands of all clients and of their scripts. */
export class RedisMonitor {
  received = '';

  private constructor(private readonly socket: Socket) {
    socket.setEncoding('latin1').on('data', (text: string) => (this.received += text));
  }

  static async start({ port }: LocalRedis): Promise<RedisMonitor> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    const monitor = new RedisMonitor(socket);
    socket.write('MONITOR\r\n');
    await once(socket, 'data');
    return monitor;
  }

  stop(): void {
    this.socket.destroy();
  }
}
