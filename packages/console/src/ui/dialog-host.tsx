/* Where dialogs are shown: beside the page, so that one stays open when the row that opened it goes. */

import { createContext, use, useState, type ReactNode } from 'react';

type Make = (close: () => void) => ReactNode;

const OpenDialog = createContext<(make: Make) => void>(() => undefined);

export function DialogHost({ children }: { readonly children: ReactNode }) {
  const [make, setMake] = useState<Make>();
  return (
    <OpenDialog value={(next) => setMake(() => next)}>
      {children}
      {make?.(() => setMake(undefined))}
    </OpenDialog>
  );
}

/** The dialog gets a function that closes it. */
export function useOpenDialog(): (make: Make) => void {
  return use(OpenDialog);
}
