import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runStockClients } from '../gateway/run-stock-clients.js';
import { describeWithOpenapiClients } from '../support/needs.js';
import { type AccountKitSuite, startAccountKitSuite } from './account-kit-suite.js';

const PATH = '/accountkit/v2/evm/calculateAccountAddress';

interface Refused {
  error: { details: { code: string; issues?: { path: string }[] } };
}

describe('bodies in the spelling of an alias', () => {
  let kit: AccountKitSuite;

  beforeAll(async () => {
    kit = await startAccountKitSuite({
      GATEWAY_ALIASES: JSON.stringify({ queryValues: { platform: { messenger: 'chat' } } }),
    });
  });

  afterAll(() => kit.stop());

  describeWithOpenapiClients('with a stock client', () => {
    it('calculateAccountAddress: a stock client may name a platform as its query parameters do', async () => {
      const call = { platform: 'messenger', userId: '4711' };
      const [statuses] = await runStockClients([
        {
          url: `${kit.suite.gatewayUrl}/openapi.json`,
          authorizations: { apiKey: kit.client.apiKey },
          calls: { 'AccountKitController.calculateAccountAddress': [call] },
        },
      ]);
      expect(statuses).toEqual({ 'AccountKitController.calculateAccountAddress': 200 });
    });
  });

  it('calculateAccountAddress: both spellings are the same account', async () => {
    const [own, aliased] = await Promise.all(
      ['chat', 'messenger'].map((platform) =>
        kit.call<object>(PATH, { method: 'POST', body: { platform, userId: '4712' } }),
      ),
    );
    expect(own?.status).toBe(200);
    expect(aliased).toMatchObject({ status: 200, body: own?.body ?? {} });
  });

  it('calculateAccountAddress: a spelling that no alias has is 400 that names the field', async () => {
    const { status, body } = await kit.call<Refused>(PATH, {
      method: 'POST',
      body: { platform: 'pager', userId: '4712' },
    });
    expect([status, body.error.details.code]).toEqual([400, 'input_invalid']);
    expect(body.error.details.issues?.map(({ path }) => path)).toEqual(['platform']);
  });

  it('bodies in the spelling of an alias: the document lists the alias in bodies, and answers keep the own spelling', async () => {
    const document = (await (await fetch(`${kit.suite.gatewayUrl}/openapi.json`)).json()) as {
      components: { schemas: Record<string, { properties?: Record<string, { enum?: string[] }> }> };
    };
    const lists = Object.values(document.components.schemas).flatMap(
      ({ properties }) => properties?.['platform']?.enum ?? [],
    );
    expect(lists).toContain('messenger');
  });
});
