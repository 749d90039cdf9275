/** A project of Vitest: all test files below one folder of test/, which run in the same way. */
export interface TestFolder {
  /** Name of the folder, and of the project. */
  readonly folder: string;
  /**
   * Whether the files that one worker runs load each module once. Such a file may not put another module in a module's
   * place. A file of the other folders has a process of its own.
   */
  readonly sharesModules: boolean;
  /** Whether its tests need the synthesised dev stage and the table's engine. */
  readonly needsAssembly: boolean;
}

export const TEST_FOLDERS: readonly TestFolder[] = [
  // Unit tests change nothing that lives longer than their file. Loading all modules for each file would double the time.
  { folder: 'unit', sharesModules: true, needsAssembly: false },
  { folder: 'table', sharesModules: true, needsAssembly: true },
  { folder: 'operations', sharesModules: true, needsAssembly: true },
  // Each stage is synthesised once for all files.
  { folder: 'templates', sharesModules: true, needsAssembly: true },
  { folder: 'service', sharesModules: false, needsAssembly: true },
  { folder: 'flows', sharesModules: false, needsAssembly: true },
];
