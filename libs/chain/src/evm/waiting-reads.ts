import { type ReadCall } from './aggregate.js';
import { type ReadGroup } from './read-group.js';

/** One call, made once for all who wait for it. */
export interface Question {
  readonly call: ReadCall;
  readonly key: string;
  waiter: Waiter;
  /** It may stand in the lines of several groups: whoever's turn comes first takes it along for all. */
  taken: boolean;
}

export interface Waiter {
  readonly group: ReadGroup;
  readonly index: number;
  readonly next: Waiter | undefined;
}

/** What one group waits for, in its order. */
interface Line {
  readonly questions: Question[];
  head: number;
}

/** A group that waits for no more than this goes as a whole: in two chunks it would wait for the slower one. */
const smallGroup = 16;

/** The calls that wait, each once, and the groups that wait for them: they take turns, so that a large one holds up nobody. */
export class WaitingReads {
  private readonly byKey = new Map<string, Question>();
  /** In the order of their turns. */
  private readonly lines = new Map<ReadGroup, Line>();
  private latest: { readonly group: ReadGroup; readonly line: Line } | undefined;

  /** Distinct calls. */
  get size(): number {
    return this.byKey.size;
  }

  get(key: string): Question | undefined {
    return this.byKey.get(key);
  }

  /** A call that does not wait yet. */
  add(question: Question): void {
    question.taken = false;
    this.byKey.set(question.key, question);
    for (let w: Waiter | undefined = question.waiter; w; w = w.next) this.lineOf(w.group).push(question);
  }

  /** One more who waits for the same call. */
  join(question: Question, group: ReadGroup, index: number): void {
    question.waiter = { group, index, next: question.waiter };
    this.lineOf(group).push(question);
  }

  /** Takes out at most `room` calls that `accept` accepts; what it does not accept is out, too. */
  take(room: number, accept: (question: Question) => boolean): Question[] {
    const taken: Question[] = [];
    if (this.byKey.size <= room) {
      for (const question of this.byKey.values()) {
        question.taken = true;
        if (accept(question)) taken.push(question);
      }
      this.byKey.clear();
      this.forgetLines();
    }
    while (taken.length < room && this.lines.size > 0) this.takeTurns(room, accept, taken);
    return taken;
  }

  /** Everybody's turn once. */
  private takeTurns(room: number, accept: (question: Question) => boolean, taken: Question[]): void {
    const share = Math.max(1, Math.floor((room - taken.length) / this.lines.size));
    const turns = [...this.lines];
    for (const [group, line] of turns) {
      if (taken.length === room) return;
      const { questions } = line;
      const left = questions.length - line.head;
      const until = Math.min(room, taken.length + (left <= smallGroup ? left : share));
      this.lines.delete(group);
      while (taken.length < until && line.head < questions.length) {
        const question = questions[line.head];
        line.head += 1;
        if (!question || question.taken) continue;
        question.taken = true;
        this.byKey.delete(question.key);
        if (accept(question)) taken.push(question);
      }
      if (line.head < questions.length) this.lines.set(group, line);
      else if (this.latest?.group === group) this.latest = undefined;
    }
  }

  private lineOf(group: ReadGroup): Question[] {
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
