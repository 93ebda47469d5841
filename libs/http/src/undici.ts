/**
 * What we use of undici. Its index also loads fetch, WebSockets and caches, which load the copy of undici in Node: 50 ms of
 * each start. Nothing else may import it.
 */
import request from 'undici/lib/api/api-request.js';
import buildConnector from 'undici/lib/core/connect.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import DispatcherClass from 'undici/lib/dispatcher/dispatcher.js';
import Pool from 'undici/lib/dispatcher/pool.js';

// undici's index makes the same assignment.
Object.assign(DispatcherClass.prototype, { request });

export type { Dispatcher } from 'undici';
export { Agent, buildConnector, Pool };
