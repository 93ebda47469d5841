import type { ServerResponse } from 'node:http';

/** Writes JSON in one piece, without Express' content negotiation. The status is set. */
export function sendJson(response: ServerResponse, body: unknown): void {
  const text = JSON.stringify(body);
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
}
