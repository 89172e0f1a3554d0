// The findings of a comparison of templates, for reviewers.
export interface Finding {
  /**
   * `refused`: CloudFormation ends the deployment, or a later one. `lost`: data is deleted, left behind, or no longer
   * protected. `interrupted`: what runs has to move. `at risk`: only a deployment that also fails does harm.
   */
  readonly effect: 'refused' | 'lost' | 'interrupted' | 'at risk';
  /** Stack and logical id, with a slash. */
  readonly subject: string;
  /** A sentence for a reviewer. */
  readonly sentence: string;
  /** A sentence with another way to the same end. */
  readonly remedy: string;
}
