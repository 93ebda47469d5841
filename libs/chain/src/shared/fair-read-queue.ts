import { type ReadCall } from '../evm/nodes/aggregate-request.js';
import { type ReadGroup } from './read-group.js';

/** One call, made once for all who wait for it. */
export interface PendingRead {
  readonly call: ReadCall;
  /** The call as one text. */
  readonly key: string;
  /** The latest of those who wait for it. */
  readonly waiter: ReadWaiter;
}

/** A question as it stands in the lines of one place. It belongs to that place alone: elsewhere it gets one of its own. */
interface QueuedRead extends PendingRead {
  waiter: ReadWaiter;
  /** How many wait for it. */
  count: number;
  /** It may stand in the lines of several groups: whoever's turn comes first takes it along for all. */
  taken: boolean;
}

export interface ReadWaiter {
  readonly group: ReadGroup;
  readonly index: number;
  readonly next: ReadWaiter | undefined;
}

/** What one group waits for, in its order. */
interface GroupQueue {
  readonly questions: QueuedRead[];
  head: number;
}

/** A group that waits for no more than this goes as a whole: in two chunks it would wait for the slower one. */
export const MAX_SMALL_GROUP_SIZE = 16;

/** The calls that wait, each once, and the groups that wait for them: they take turns, so that a large one holds up nobody. */
export class FairReadQueue {
  private readonly byKey = new Map<string, QueuedRead>();
  /** In the order of their turns. */
  private readonly lines = new Map<ReadGroup, GroupQueue>();
  private waiting = 0;
  private latest: { readonly group: ReadGroup; readonly line: GroupQueue } | undefined;

  /** Distinct calls. */
  get size(): number {
    return this.byKey.size;
  }

  /** How often somebody waits for one of them. */
  get waiterCount(): number {
    return this.waiting;
  }

  has(key: string): boolean {
    return this.byKey.has(key);
  }

  /**
   * Takes in all who wait for the question, beside those who wait for the same call already. A group asks for all it wants in
   * one go: if it has asked for this before, it was the last to do so, and stands in line for it once.
   */
  add({ call, key, waiter }: PendingRead): void {
    const same = this.byKey.get(key);
    const standing: QueuedRead = same ?? { call, key, waiter, count: 0, taken: false };
    if (!same) this.byKey.set(key, standing);
    let latest = same?.waiter.group;
    for (let w: ReadWaiter | undefined = waiter; w; w = w.next) {
      const { group, index } = w;
      if (group !== latest) this.lineOf(group).push(standing);
      latest = group;
      if (same) same.waiter = { group, index, next: same.waiter };
      standing.count += 1;
      this.waiting += 1;
    }
  }

  /** Takes out at most `room` calls that `accept` accepts; what it does not accept is out, too. */
  take(room: number, accept: (question: PendingRead) => boolean): PendingRead[] {
    const taken: PendingRead[] = [];
    if (this.byKey.size <= room) {
      for (const question of this.byKey.values()) {
        question.taken = true;
        if (accept(question)) taken.push(question);
      }
      this.byKey.clear();
      this.waiting = 0;
      this.forgetLines();
    }
    while (taken.length < room && this.lines.size > 0) this.takeTurns(room, accept, taken);
    return taken;
  }

  /** Everybody's turn once. */
  private takeTurns(room: number, accept: (question: PendingRead) => boolean, taken: PendingRead[]): void {
    const share = Math.max(1, Math.floor((room - taken.length) / this.lines.size));
    const turns = [...this.lines];
    for (const [group, line] of turns) {
      if (taken.length === room) return;
      const { questions } = line;
      const left = questions.length - line.head;
      const until = Math.min(room, taken.length + (left <= MAX_SMALL_GROUP_SIZE ? left : share));
      this.lines.delete(group);
      while (taken.length < until && line.head < questions.length) {
        const question = questions[line.head];
        line.head += 1;
        if (!question || question.taken) continue;
        question.taken = true;
        this.byKey.delete(question.key);
        this.waiting -= question.count;
        if (accept(question)) taken.push(question);
      }
      if (line.head < questions.length) this.lines.set(group, line);
      else if (this.latest?.group === group) this.latest = undefined;
    }
  }

  private lineOf(group: ReadGroup): QueuedRead[] {
    if (this.latest?.group === group) return this.latest.line.questions;
    let line = this.lines.get(group);
    if (!line) this.lines.set(group, (line = { questions: [], head: 0 }));
    this.latest = { group, line };
    return line.questions;
  }

  private forgetLines(): void {
    this.lines.clear();
    this.latest = undefined;
  }
}
