import { AsynchronousChecks1795132800003 } from './1795132800003-asynchronous-checks.js';
import { CallbackKeys1795132800004 } from './1795132800004-callback-keys.js';

/** In the order they are applied. A migration is never changed once it was released. */
export const migrations = [AsynchronousChecks1795132800003, CallbackKeys1795132800004];
