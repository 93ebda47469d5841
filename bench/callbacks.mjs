import { callbackSpeed } from './callback-speed.mjs';
import { hangingReceiver } from './hanging-receiver.mjs';

/** @import { Children } from '../scripts/processes/children.mjs' */

/**
 * Callbacks: how many a second, and what one receiver that hangs does to the others.
 * @param {Children} children
 */
export async function callbacks(children) {
  return [await callbackSpeed(children), await hangingReceiver(children)].join('\n\n');
}
