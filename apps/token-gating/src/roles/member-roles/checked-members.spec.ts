import { expect, it } from '@jest/globals';
import { communityEvent } from '@app/dto';
import { CheckedMembers, MAX_MEMBERS_PER_COMMUNITY } from './checked-members.js';

const QUARTER = 900_000;
const NOW = Date.parse('2026-11-23T10:20:30Z');

function createMembers(): { members: CheckedMembers; countDropped: () => number } {
  let dropped = 0;
  const members = new CheckedMembers((more) => {
    dropped += more;
  });
  return { members, countDropped: () => dropped };
}

it('CheckedMembers: a member is taken once for each quarter-hour, with an id that all instances give', () => {
  const [one, other] = [createMembers().members, createMembers().members];
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

it('CheckedMembers: a community that is full leaves room for others', () => {
  const { members, countDropped } = createMembers();
  for (let user = 0; user < MAX_MEMBERS_PER_COMMUNITY; user += 1) members.add('large', `user_${user}`, NOW);
  expect(countDropped()).toBe(0);
  members.add('large', 'another', NOW);
  expect(countDropped()).toBe(1);
  members.add('small', 'another', NOW);
  expect(countDropped()).toBe(1);
  expect(members.take(2)).toHaveLength(2);
  expect(members.take(100_000)).toHaveLength(MAX_MEMBERS_PER_COMMUNITY - 1);
});

it('CheckedMembers: many full communities leave room for others', () => {
  const { members, countDropped } = createMembers();
  for (let community = 0; community < 60; community += 1)
    for (let user = 0; user < MAX_MEMBERS_PER_COMMUNITY; user += 1)
      members.add(`large_${community}`, `user_${user}`, NOW);
  const dropped = countDropped();
  members.add('small', 'user', NOW);
  expect(countDropped()).toBe(dropped);
});

it('CheckedMembers: the memory is bounded, also where nothing is taken, and each member is taken or counted as dropped', () => {
  const { members, countDropped } = createMembers();
  for (let quarter = 0; quarter < 3; quarter += 1)
    for (let user = 0; user < 60_000; user += 1)
      members.add(`community_${user % 60}`, `user_${user}`, NOW + quarter * QUARTER);
  const taken = members.take(1_000_000).length;
  expect(taken).toBeLessThanOrEqual(100_000);
  expect(taken + countDropped()).toBe(180_000);
});
