/** What a name stands for; nothing when it is to stay as it is written. */
export type Lookup = (name: string) => string | undefined;

/** A default has no braces: one that had would be looked through again for every reference that begins in it. */
const REFERENCE = /\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)(?::-([^{}]*))?\})/g;

/** Fills in `$NAME`, `${NAME}` and `${NAME:-default}`. A name without a value and a default stays as it is written. */
export const expandReferences = (text: string, lookup: Lookup): string =>
  text.replace(REFERENCE, (written: string, plain?: string, braced?: string, otherwise?: string) => {
    const value = lookup(plain ?? braced ?? '');
    // As in a shell: `:-` is also for a variable that is empty.
    return otherwise !== undefined && (value === undefined || value === '') ? otherwise : (value ?? written);
  });
