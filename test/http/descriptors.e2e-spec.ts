import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { QueueWorld, someJobs } from '../queues/queue-world.js';
import { startTestApp, type TestApp } from '../queues/test-app-process.js';
import { until } from '../support/until.js';

const MAX_DESCRIPTORS = 200;

let world: QueueWorld;
let app: TestApp;
let sockets: Socket[];

beforeEach(async () => {
  sockets = [];
  world = await QueueWorld.make('postgres');
  app = await startTestApp(
    { NOTES_DATABASE_URL: world.database.url, WORKER_NAME: 'limited', ...world.backend.env },
    MAX_DESCRIPTORS,
  );
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  app.kill();
  await app.ended;
  await world.stop();
});

const isReady = async () => (await app.health('ready')) === 200;

it('T245: file descriptors: a process with too few file descriptors closes connections of clients, says so, and still answers probes', async () => {
  await until('ready', isReady);
  let closed = 0;
  sockets = await Promise.all(
    Array.from({ length: MAX_DESCRIPTORS }, async () => {
      const socket = connect(app.port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.on('close', () => (closed += 1));
      await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
      return socket;
    }),
  );
  await until('some are closed', () => closed >= MAX_DESCRIPTORS / 4);
  expect(await app.health('live')).toBe(200);
  expect(await isReady()).toBe(true);
  expect(await app.metrics()).toMatch(/http_connections_dropped_total\{[^}]*\} [1-9]/);
  await until('logged', () =>
    app.logLines.some((line) => line.includes('too many connections for the limit of open files')),
  );
  for (const socket of sockets) socket.destroy();
  await until('served again', () =>
    app.enqueue(someJobs(1)).then(
      ({ status }) => status === 200,
      () => false,
    ),
  );
});
