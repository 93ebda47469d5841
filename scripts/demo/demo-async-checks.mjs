import { setTimeout as sleep } from 'node:timers/promises';
import { demoRequest } from './demo-check.mjs';

/** @import { Demo } from './demo-client.mjs' */
/** @typedef {{ requestId?: string, roles?: { granted: boolean }[] }} CheckResult */

const TIME_OUT_MS = 15_000;
const EVERY_MS = 100;

/**
 * The demo check in its two patient forms: one whose result is polled, and one that calls the receiver back.
 * @param {import('./demo-client.mjs').Demo} demo
 * @returns {Promise<{ polledRequestId: string, calledBackRequestId?: string }>} both have their result; no
 *   second one where CALLBACK_ALLOW_CIDRS was set and leaves the receiver out
 */
export async function demoAsyncChecks(demo) {
  const polledRequestId = await accepted(await submit(demo, { async: true }));
  await untilGranted(`The polled check ${polledRequestId}`, () => resultOf(demo, polledRequestId));

  const response = await submit(demo, { callbackUrl: demo.receiverUrl });
  if (response.status === 400 && process.env.CALLBACK_ALLOW_CIDRS) return { polledRequestId };
  const calledBackRequestId = await accepted(response);
  await untilGranted(`The callback of ${calledBackRequestId}`, () => receivedBy(demo, calledBackRequestId));
  return { polledRequestId, calledBackRequestId };
}

/** @param {string} url @param {Record<string, string>} [headers] */
const get = (url, headers) => fetch(url, { headers, signal: AbortSignal.timeout(TIME_OUT_MS) });

/** @param {Demo} demo @param {Parameters<typeof demoRequest>[1]} more */
function submit(demo, more) {
  const { url, headers, body } = demoRequest(demo, more);
  return fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(TIME_OUT_MS) });
}

/** @param {Response} response */
async function accepted(response) {
  const text = await response.text();
  if (!response.ok)
    throw new Error(`The demo check was not accepted: ${response.status} ${text.slice(0, 500)}`);
  const { requestId } = /** @type {{ requestId: string }} */ (JSON.parse(text));
  return requestId;
}

/** @param {Demo} options @param {string} requestId @returns {Promise<CheckResult | undefined>} */
async function resultOf({ gatewayUrl, apiKey }, requestId) {
  const url = `${gatewayUrl}/access-control/check-roles/responses/${requestId}`;
  const response = await get(url, { 'X-API-Key': apiKey });
  return response.status === 200 ? /** @type {CheckResult} */ (await response.json()) : undefined;
}

/** @param {Demo} options @param {string} requestId @returns {Promise<CheckResult | undefined>} */
async function receivedBy({ receiverUrl }, requestId) {
  const received = /** @type {{ body: CheckResult }[]} */ (await (await get(receiverUrl)).json());
  return received.find(({ body }) => body.requestId === requestId)?.body;
}

/** @param {string} what @param {() => Promise<CheckResult | undefined>} look */
async function untilGranted(what, look) {
  const deadline = Date.now() + TIME_OUT_MS;
  let result = await look();
  while (result === undefined && Date.now() < deadline) {
    await sleep(EVERY_MS);
    result = await look();
  }
  if (result?.roles?.[0]?.granted !== true)
    throw new Error(
      `${what} did not answer granted: true, but ${result === undefined ? 'nothing' : JSON.stringify(result)}`,
    );
}
