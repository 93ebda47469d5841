import request from 'undici/lib/api/api-request.js';
import buildConnector from 'undici/lib/core/connect.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import DispatcherClass from 'undici/lib/dispatcher/dispatcher.js';
import Pool from 'undici/lib/dispatcher/pool.js';

/**
 * The parts of undici 7.30.2 that are used here (https://github.com/nodejs/undici/blob/v7.30.2/index.js). The index also loads fetch,
 * WebSockets and caches, which load the copy of undici in Node: 50 ms of each start and 8 MB of each process. It would also become the
 * dispatcher of Node's own fetch. Nothing else may import undici.
 */

// undici's index makes the same assignment.
Object.assign(DispatcherClass.prototype, { request });

export type { Dispatcher } from 'undici';
export { Agent, buildConnector, Pool };
