// The types of the vocabulary in `vocabulary.ts`.

export interface Named {
  en: string;
  zh: string;
}

export interface PredicateEntry {
  /** False for what only a scene has. */
  fact: boolean;
  label: Named;
  inverse: Named;
  look: { line: string; arrow: string; light: string; dark: string };
  /** The group of its facts around a person; `linked` if relation, category and type decide. */
  sector: string;
}

/** A group of the facts around a person, clockwise on the map. */
export interface GroupEntry {
  label: Named;
  look: { light: string; dark: string };
  relations?: string[];
  categories?: string[];
  types?: string[];
  /** Parts of the statement that move a disliked thing here. */
  said?: string[];
}
