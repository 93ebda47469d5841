import { expect, it } from '@jest/globals';
import { communityEvent } from '@app/dto';
import { CheckedMembers, MAX_MEMBERS_PER_COMMUNITY } from './checked-members.js';

const QUARTER = 900_000;
const NOW = Date.parse('2026-11-23T10:20:30Z');

it('a member is taken once for each quarter-hour, with an id that all instances give', () => {
  const [one, other] = [new CheckedMembers(), new CheckedMembers()];
  for (const members of [one, other]) {
    members.add('community_1', 'user_1', NOW);
    members.add('community_1', 'user_1', NOW + 1);
    members.add('community_2', 'user_1', NOW);
  }
  const taken = one.take(10);
  expect(taken).toMatchObject([
    { communityId: 'community_1', userId: 'user_1', at: '2026-11-23T10:15:00.000Z' },
    { communityId: 'community_2' },
  ]);
  expect(new Set(taken.map(({ id }) => id)).size).toBe(2);
  expect(other.take(10)).toEqual(taken);
  for (const event of taken) expect(communityEvent.parse(event)).toEqual(event);
  one.add('community_1', 'user_1', NOW + 2);
  expect(one.take(10)).toEqual([]);
  one.add('community_1', 'user_1', NOW + QUARTER);
  expect(one.take(10)).toMatchObject([{ at: '2026-11-23T10:30:00.000Z' }]);
});

it('a community that is full leaves room for others', () => {
  const members = new CheckedMembers();
  for (let user = 0; user < MAX_MEMBERS_PER_COMMUNITY; user += 1)
    expect(members.add('large', `user_${user}`, NOW)).toBe(true);
  expect(members.add('large', 'another', NOW)).toBe(false);
  expect(members.add('small', 'another', NOW)).toBe(true);
  expect(members.take(2)).toHaveLength(2);
  expect(members.take(100_000)).toHaveLength(MAX_MEMBERS_PER_COMMUNITY - 1);
});

it('the memory is bounded, also where nothing is taken', () => {
  const members = new CheckedMembers();
  let added = 0;
  for (let quarter = 0; quarter < 3; quarter += 1)
    for (let user = 0; user < 60_000; user += 1)
      if (members.add(`community_${user % 60}`, `user_${user}`, NOW + quarter * QUARTER)) added += 1;
  expect(added).toBe(150_000);
  expect(members.take(1_000_000)).toHaveLength(50_000);
});
