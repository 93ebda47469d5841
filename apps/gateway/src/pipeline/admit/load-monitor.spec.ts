import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MetricsService, type ServiceContext } from '@app/service';
import type { Response } from 'express';
import type { GatewayConfig } from '../../gateway.config.js';
import { LoadMonitor } from './load-monitor.js';

const createResponse = (): Response =>
  Object.assign(new EventEmitter(), { closed: false, setTimeout: () => undefined }) as unknown as Response;

describe('LoadMonitor', () => {
  let load: LoadMonitor;

  beforeEach(() => {
    const config = { MAX_REQUESTS_UNDER_WAY: 4, MAX_EVENT_LOOP_DELAY_MS: 60_000 } as GatewayConfig;
    load = new LoadMonitor(config, { metrics: new MetricsService('gateway') } as ServiceContext);
  });

  afterEach(() => {
    load.onModuleDestroy();
  });

  const leave = (owner: string): Response => {
    const response = createResponse();
    load.admit(response, owner);
    load.leaveToClient(response);
    return response;
  };

  it('bounds the unread responses of an owner, which take no places from others', () => {
    const unread = Array.from({ length: 64 }, () => leave('a'));
    expect(() => {
      load.admit(createResponse(), 'a');
    }).toThrow('More than 64 of your responses are not read yet.');
    expect(() => leave('b')).not.toThrow();
    unread[0]?.emit('close');
    expect(() => leave('a')).not.toThrow();
  });
});
