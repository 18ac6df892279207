export interface Resources {
  /** Waits for a resource that is being opened; closes it even if another step fails meanwhile. */
  open: <T>(opening: Promise<T>, close: (resource: T) => unknown) => Promise<T>;
  onClose: (close: () => unknown) => void;
  /** Closes everything in reverse order. An error keeps nothing else open. */
  closeAll: () => Promise<void>;
}

/** What a process has opened, to be closed when it stops or when a later step of its start fails. */
export function createResources(onError: (error: unknown) => void): Resources {
  const closers: (() => unknown)[] = [];
  const onClose = (close: () => unknown): void => void closers.push(close);
  return {
    onClose,
    open: (opening, close) => {
      // What failed to open closes itself, and its error has been thrown to the caller.
      onClose(() => opening.then(close, () => undefined));
      return opening;
    },
    async closeAll() {
      for (let close = closers.pop(); close; close = closers.pop()) {
        try {
          await close();
        } catch (error) {
          onError(error);
        }
      }
    },
  };
}
