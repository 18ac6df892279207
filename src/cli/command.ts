import type { LocalServices } from './services.ts';

/** Flags of a call under their contract names; only those that were given. */
export type Flags = Record<string, string | string[] | number | boolean>;

/** Output of a command: always `id`, plus fields specific to the command. */
export type Printed = { id: string } & Record<string, unknown>;

export interface Command {
  usage: string;
  about: string;
  /** Contract names of the flags it accepts. */
  takes: string[];
  /** Runs even if a key of stored values is missing. */
  allowsMissingKeys?: boolean;
  /** Migrates the database before it runs. */
  migrates?: boolean;
  run: (services: LocalServices, flags: Flags) => Promise<Printed>;
}
