import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { Subscriber, publish } from '@app/pubsub';
import { LocalRedis } from '../support/local-redis.js';
import { LocalRedisCluster } from '../support/local-redis-cluster.js';
import { until } from '../support/until.js';
import { describeWithRedis } from '../support/needs.js';

const CHANNEL = 'test-channel';

describeWithRedis('Subscriber on one Redis server', () => {
  let redis: LocalRedis;
  let subscriber: Subscriber;
  let messages: number;

  const hasReceived = (count: number) => () => messages >= count;

  beforeEach(async () => {
    redis = await LocalRedis.start();
    messages = 0;
    subscriber = new Subscriber(redis.url, CHANNEL, () => {
      messages += 1;
    });
    await until('connected', hasReceived(1)); // each connect counts as a message
  });

  afterEach(async () => {
    subscriber.close();
    await redis.stop();
  });

  it('Subscriber on one Redis server: receives the messages of its channel only', async () => {
    await publish(redis.url, CHANNEL);
    await publish(redis.url, 'other-channel');
    await publish(redis.url, CHANNEL);
    await until('received', hasReceived(3));
    expect(messages).toBe(3);
  });

  it('Subscriber on one Redis server: reconnects, and assumes a missed message', async () => {
    await redis.kill();
    await expect(publish(redis.url, CHANNEL)).rejects.toThrow();
    expect(messages).toBe(1);
    await redis.start();
    await until('connected again', hasReceived(2));
    await publish(redis.url, CHANNEL);
    await until('received', hasReceived(3));
  });
});

describeWithRedis('Subscriber on a Redis Cluster', () => {
  it('Subscriber on a Redis Cluster: receives messages published at any node, also after its own node is down', async () => {
    const cluster = await LocalRedisCluster.start();
    let messages = 0;
    const subscriber = new Subscriber(cluster.url, CHANNEL, () => (messages += 1));
    const hasReceived = (count: number) => () => messages >= count;
    const findSubscribedNode = async () => {
      const replies = await Promise.all(
        cluster.nodes.map((node) => node.command(`PUBSUB NUMSUB ${CHANNEL}`)),
      );
      return cluster.nodes[replies.findIndex((reply) => reply.endsWith(':1'))];
    };
    try {
      await until('connected', hasReceived(1));
      for (const [index, node] of cluster.nodes.entries()) {
        await publish(node.url, CHANNEL);
        await until('received', hasReceived(2 + index));
      }
      await publish(cluster.url, CHANNEL);
      await until('received', hasReceived(5));
      const node = await findSubscribedNode();
      await node?.kill();
      await until('connected to another node', hasReceived(6));
      await publish(cluster.url, CHANNEL);
      await until('received', hasReceived(7));
      await cluster.kill();
      await expect(publish(cluster.url, CHANNEL)).rejects.toThrow();
    } finally {
      subscriber.close();
      await cluster.stop();
    }
  });
});
