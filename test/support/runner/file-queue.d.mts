interface TestFile {
  path: string;
  context: { config: { rootDir: string } };
}

interface Taken {
  test: TestFile;
  group: TestFile[];
}

export class FileQueue {
  constructor(tests: readonly TestFile[], worldOf?: (test: TestFile) => string | undefined);
  take(last?: TestFile[]): Taken | undefined;
}
