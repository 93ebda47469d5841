import { expect, it } from '@jest/globals';
import { type EndpointOutcome, mergeOutcomes } from './callback-endpoints.queries.js';

const said = (changes: Partial<EndpointOutcome> = {}): EndpointOutcome => ({
  endpointId: 'endpoint_1',
  url: 'https://shop.example/',
  failure: undefined,
  isGone: false,
  isChallenge: false,
  ...changes,
});
const failed = said({ failure: 'status 500' });
const gone = said({ failure: 'status 410', isGone: true });

it('mergeOutcomes: a 410 wins over a success, and a success over failures, in any order', () => {
  expect(mergeOutcomes([gone, said(), failed])).toMatchObject([{ isGone: true }]);
  expect(mergeOutcomes([said(), failed, failed])).toMatchObject([{ failure: undefined }]);
  expect(mergeOutcomes([failed, failed])).toMatchObject([{ failure: 'status 500', failures: 2 }]);
});

it('mergeOutcomes: a challenge counts as no failure of deliveries, and URLs are kept apart', () => {
  const challenge = said({ failure: 'challenge_unanswered', isChallenge: true });
  expect(mergeOutcomes([challenge])).toMatchObject([{ isChallenge: true, failures: 0 }]);
  expect(mergeOutcomes([challenge, failed])).toMatchObject([{ isChallenge: false, failures: 1 }]);
  expect(mergeOutcomes([failed, said({ url: 'https://new.example/' })])).toHaveLength(2);
});
