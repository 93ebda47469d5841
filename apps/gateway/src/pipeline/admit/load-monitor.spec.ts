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

  const createMonitor = (maxRequests: number, maxDelayMs = 60_000): LoadMonitor => {
    const config = {
      MAX_REQUESTS_UNDER_WAY: maxRequests,
      MAX_EVENT_LOOP_DELAY_MS: maxDelayMs,
    } as GatewayConfig;
    return new LoadMonitor(config, { metrics: new MetricsService('gateway') } as ServiceContext);
  };

  beforeEach(() => {
    load = createMonitor(4);
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

  it('LoadMonitor: bounds the unread responses of an owner, which take no places from others', () => {
    const unread = Array.from({ length: 64 }, () => leave('a'));
    expect(() => {
      load.admit(createResponse(), 'a');
    }).toThrow('More than 64 of your responses are not read yet.');
    expect(() => leave('b')).not.toThrow();
    unread[0]?.emit('close');
    expect(() => leave('a')).not.toThrow();
  });

  it('LoadMonitor: sheds requests while the event loop stays delayed, and none after it stood still once', () => {
    const monitor = createMonitor(2_000, 500);
    monitor.onModuleDestroy();
    const sample = (medianMs: number): void => {
      Object.assign(monitor, { delay: { percentile: () => medianMs * 1e6, reset: () => undefined } });
      (monitor as unknown as { sample: () => void }).sample();
    };
    const admit = (): void => {
      monitor.admit(createResponse(), 'a');
    };
    sample(3_000);
    expect(admit).not.toThrow();
    sample(20);
    sample(3_000);
    expect(admit).not.toThrow();
    sample(600);
    expect(admit).toThrow('The service is overloaded');
    sample(20);
    expect(admit).not.toThrow();
  });

  describe('with owners that have as many requests in flight as they may', () => {
    const MAX_REQUESTS = 2_000;
    let monitor: LoadMonitor;

    beforeEach(() => {
      monitor = createMonitor(MAX_REQUESTS);
    });

    afterEach(() => {
      monitor.onModuleDestroy();
    });

    /** @returns how many requests the owner got admitted */
    const fill = (owner: string): number => {
      for (let count = 0; ; count += 1) {
        try {
          monitor.admit(createResponse(), owner);
        } catch {
          return count;
        }
      }
    };

    it('LoadMonitor, with owners that have as many requests in flight as they may: gives the first one three eighths of the places', () => {
      expect(fill('first') / MAX_REQUESTS).toBeCloseTo(3 / 8, 1);
      expect(() => {
        monitor.admit(createResponse(), 'first');
      }).toThrow('your share at the present load');
    });

    it('T66: LoadMonitor, with owners that have as many requests in flight as they may: has places for a new owner beside eleven, and one beside eighty', () => {
      for (let owner = 0; owner < 11; owner += 1) fill(String(owner));
      expect(fill('twelfth')).toBeGreaterThan(10);
      for (let owner = 12; owner < 80; owner += 1) fill(String(owner));
      expect(fill('victim')).toBe(1);
    });
  });
});
