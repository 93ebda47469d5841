import { afterEach, beforeEach, describe as describeAlways, expect, it } from '@jest/globals';
import { Subscriber, publish } from '@app/pubsub';
import { until } from '../queues/queue-world.js';
import { hasRedis, LocalRedis } from '../support/local-redis.js';

const describe = hasRedis ? describeAlways : describeAlways.skip;
const CHANNEL = 'test-news';

describe('news over Redis', () => {
  let redis: LocalRedis;
  let listener: Subscriber;
  let heard: number;

  const hasHeard = (count: number) => () => Promise.resolve(heard >= count);

  beforeEach(async () => {
    redis = await LocalRedis.start();
    heard = 0;
    listener = new Subscriber(redis.url, CHANNEL, () => {
      heard += 1;
    });
    await until('listening', hasHeard(1)); // who has just connected may have missed something
  });

  afterEach(async () => {
    listener.close();
    await redis.stop();
  });

  it('reach who listens to their channel, and nobody else', async () => {
    await publish(redis.url, CHANNEL);
    await publish(redis.url, 'other-news');
    await publish(redis.url, CHANNEL);
    await until('heard', hasHeard(3));
    expect(heard).toBe(3);
  });

  it('are assumed after a break, and reach the listener again', async () => {
    await redis.kill();
    await expect(publish(redis.url, CHANNEL)).rejects.toThrow();
    expect(heard).toBe(1);
    await redis.start();
    await until('connected again', hasHeard(2));
    await publish(redis.url, CHANNEL);
    await until('heard', hasHeard(3));
  });
});
