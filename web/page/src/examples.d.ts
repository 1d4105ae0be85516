// Files of examples/, whose text is in the bundle.

declare module "*.conll" {
  const text: string;
  export default text;
}
