/** A project of Vitest: all test files in one folder of test/. They run in the same way. */
export interface TestFolder {
  /** Name of the folder and of the project. */
  readonly folder: string;
  /**
   * Whether the files that one worker runs load each module only once. Such a file must not replace a module by another
   * (`vi.mock`). In the other folders each file has a process of its own.
   */
  readonly sharesModules: boolean;
  /** Whether the tests need the synthesised dev stage and the table engine. */
  readonly needsAssembly: boolean;
}

export const TEST_FOLDERS: readonly TestFolder[] = [
  // Unit tests change nothing that outlives their file. If each file loaded all modules again, they would take twice
  // the time.
  { folder: 'unit', sharesModules: true, needsAssembly: false },
  { folder: 'table', sharesModules: true, needsAssembly: true },
  { folder: 'operations', sharesModules: true, needsAssembly: true },
  // A stage is synthesised once for all files of a worker.
  { folder: 'templates', sharesModules: true, needsAssembly: true },
  // Functions keep the ports that they make at their first call, with the environment of that moment. If these files
  // shared modules, a file without local webhook targets would decide for the files after it.
  { folder: 'service', sharesModules: false, needsAssembly: true },
  { folder: 'flows', sharesModules: false, needsAssembly: true },
];
