export interface Resources {
  /** Closes the resource also if another step fails while it is being opened, which may take any time: as soon as it is open. */
  open: <T>(opening: Promise<T>, close: (resource: T) => unknown) => Promise<T>;
  onClose: (close: () => unknown) => void;
  /** Closes everything that is open in reverse order. An error keeps nothing else open. */
  closeAll: () => Promise<void>;
}

/** What a process has opened, to be closed when it stops or when a later step of its start fails. */
export function createResources(onError: (error: unknown) => void): Resources {
  const closers: (() => unknown)[] = [];
  const onClose = (close: () => unknown): void => void closers.push(close);
  return {
    onClose,
    async open(opening, close) {
      // What failed to open closes itself, and its error has been thrown to the caller.
      let closeOpened = (): unknown => void opening.then(close, () => undefined).catch(onError);
      onClose(() => closeOpened());
      const resource = await opening;
      closeOpened = () => close(resource);
      return resource;
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
