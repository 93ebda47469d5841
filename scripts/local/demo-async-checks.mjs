import { setTimeout as sleep } from 'node:timers/promises';
import { demoRequest } from './demo-check.mjs';

const TIME_OUT_MS = 15_000;
const EVERY_MS = 100;

/**
 * The demo check in its two patient forms: one whose result is polled, and one that calls the receiver back.
 * @param {import('./demo-client.mjs').Demo} demo
 * @returns {Promise<{ polledRequestId: string, calledBackRequestId: string | undefined }>} both have their result; no
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

const get = (url, headers) => fetch(url, { headers, signal: AbortSignal.timeout(TIME_OUT_MS) });

function submit(demo, more) {
  const { url, headers, body } = demoRequest(demo, more);
  return fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(TIME_OUT_MS) });
}

async function accepted(response) {
  const text = await response.text();
  if (!response.ok)
    throw new Error(`The demo check was not accepted: ${response.status} ${text.slice(0, 500)}`);
  return JSON.parse(text).requestId;
}

async function resultOf({ gatewayUrl, apiKey }, requestId) {
  const url = `${gatewayUrl}/access-control/check-roles/responses/${requestId}`;
  const response = await get(url, { 'X-API-Key': apiKey });
  return response.status === 200 ? response.json() : undefined;
}

async function receivedBy({ receiverUrl }, requestId) {
  const received = await (await get(receiverUrl)).json();
  return received.find(({ body }) => body.requestId === requestId)?.body;
}

async function untilGranted(what, look) {
  const deadline = Date.now() + TIME_OUT_MS;
  let result = await look();
  while (result === undefined && Date.now() < deadline) {
    await sleep(EVERY_MS);
    result = await look();
  }
  if (result?.roles?.[0]?.granted !== true)
    throw new Error(`${what} did not answer granted: true, but ${JSON.stringify(result) ?? 'nothing'}`);
}
