//! The bibliography: the papers that the documentation and the source cite by key. `docs/bibliography.md` is generated
//! from it, and the explanations of metrics take their references from it.

/// A cited work.
#[derive(Debug)]
pub struct Reference {
    /// The key by which the source cites it.
    pub key: &'static str,
    /// The authors and the year in short, for running text: `Vilain et al. 1995`.
    pub cited: &'static str,
    /// The complete reference in Markdown: authors, year, title, place, and a link if there is one.
    pub text: &'static str,
    /// Its uses in corefeval, in Markdown.
    pub here: &'static str,
}

/// The works on one subject.
#[derive(Debug)]
pub struct Subject {
    /// Its heading.
    pub title: &'static str,
    /// Its works.
    pub references: &'static [Reference],
}

/// All cited works.
pub const BIBLIOGRAPHY: [Subject; 4] = [
    Subject {
        title: "Metrics",
        references: &[
            Reference {
                key: "vilain-1995",
                cited: "Vilain et al. 1995",
                text: "Marc Vilain, John Burger, John Aberdeen, Dennis Connolly, Lynette Hirschman. 1995. A Model-Theoretic Coreference Scoring Scheme. In *Sixth Message Understanding Conference (MUC-6)*, Columbia, Maryland, pages 45–52. [doi:10.3115/1072399.1072405](https://doi.org/10.3115/1072399.1072405)",
                here: "`muc`, `links_as_written`, and the `links` notation",
            },
            Reference {
                key: "bagga-baldwin-1998",
                cited: "Bagga and Baldwin 1998",
                text: "Amit Bagga, Breck Baldwin. 1998. Algorithms for Scoring Coreference Chains. In *The First International Conference on Language Resources and Evaluation, Workshop on Linguistics Coreference*, Granada, pages 563–566.",
                here: "`b_cubed` and its weights",
            },
            Reference {
                key: "luo-2005",
                cited: "Luo 2005",
                text: "Xiaoqiang Luo. 2005. On Coreference Resolution Performance Metrics. In *Proceedings of Human Language Technology Conference and Conference on Empirical Methods in Natural Language Processing*, Vancouver, pages 25–32. [doi:10.3115/1220575.1220579](https://doi.org/10.3115/1220575.1220579)",
                here: "`ceaf_1`, `ceaf_2`, `ceaf_m`, `ceaf_e`",
            },
            Reference {
                key: "recasens-hovy-2011",
                cited: "Recasens and Hovy 2011",
                text: "Marta Recasens, Eduard Hovy. 2011. BLANC: Implementing the Rand Index for Coreference Evaluation. *Natural Language Engineering* 17(4): 485–510. [doi:10.1017/S135132491000029X](https://doi.org/10.1017/S135132491000029X)",
                here: "`blanc`",
            },
            Reference {
                key: "luo-2014",
                cited: "Luo et al. 2014",
                text: "Xiaoqiang Luo, Sameer Pradhan, Marta Recasens, Eduard Hovy. 2014. An Extension of BLANC to System Mentions. In *Proceedings of the 52nd Annual Meeting of the Association for Computational Linguistics (Volume 2: Short Papers)*, Baltimore, pages 24–29. [doi:10.3115/v1/P14-2005](https://doi.org/10.3115/v1/P14-2005)",
                here: "`blanc`, when key and response have different mentions",
            },
            Reference {
                key: "moosavi-strube-2016",
                cited: "Moosavi and Strube 2016",
                text: "Nafise Sadat Moosavi, Michael Strube. 2016. Which Coreference Evaluation Metric Do You Trust? A Proposal for a Link-based Entity Aware Metric. In *Proceedings of the 54th Annual Meeting of the Association for Computational Linguistics (Volume 1: Long Papers)*, Berlin, pages 632–642. [doi:10.18653/v1/P16-1060](https://doi.org/10.18653/v1/P16-1060)",
                here: "`lea`",
            },
            Reference {
                key: "lin-2010",
                cited: "Lin et al. 2010",
                text: "Bo Lin, Rushin Shah, Robert Frederking, Anatole Gershman. 2010. CONE: Metrics for Automatic Evaluation of Named Entity Co-Reference Resolution. In *Proceedings of the 2010 Named Entities Workshop*, Uppsala, pages 136–144. [W10-2420](https://aclanthology.org/W10-2420/)",
                here: "`cone_b_cubed`, `cone_ceaf`, scores of named mentions, keys made from names",
            },
            Reference {
                key: "rand-1971",
                cited: "Rand 1971",
                text: "William M. Rand. 1971. Objective Criteria for the Evaluation of Clustering Methods. *Journal of the American Statistical Association* 66(336): 846–850. [doi:10.1080/01621459.1971.10482356](https://doi.org/10.1080/01621459.1971.10482356)",
                here: "`rand`",
            },
            Reference {
                key: "hubert-arabie-1985",
                cited: "Hubert and Arabie 1985",
                text: "Lawrence Hubert, Phipps Arabie. 1985. Comparing Partitions. *Journal of Classification* 2: 193–218. [doi:10.1007/BF01908075](https://doi.org/10.1007/BF01908075)",
                here: "`adjusted_rand`",
            },
            Reference {
                key: "wallace-1983",
                cited: "Wallace 1983",
                text: "David L. Wallace. 1983. A Method for Comparing Two Hierarchical Clusterings: Comment. *Journal of the American Statistical Association* 78(383): 569–576.",
                here: "`adjusted_rand`",
            },
            Reference {
                key: "denis-baldridge-2009",
                cited: "Denis and Baldridge 2009",
                text: "Pascal Denis, Jason Baldridge. 2009. Global Joint Models for Coreference Resolution and Named Entity Classification. *Procesamiento del Lenguaje Natural* 42: 87–96.",
                here: "the mean of three F1 that became `conll`",
            },
            Reference {
                key: "doddington-2004",
                cited: "Doddington et al. 2004",
                text: "George Doddington, Alexis Mitchell, Mark Przybocki, Lance Ramshaw, Stephanie Strassel, Ralph Weischedel. 2004. The Automatic Content Extraction (ACE) Program – Tasks, Data, and Evaluation. In *Proceedings of the Fourth International Conference on Language Resources and Evaluation*, Lisbon.",
                here: "`ace_value`, `ace_mention_value`, format `apf`",
            },
            Reference {
                key: "paun-2023",
                cited: "Paun et al. 2023",
                text: "Silviu Paun, Juntao Yu, Nafise Sadat Moosavi, Massimo Poesio. 2023. Scoring Coreference Chains with Split-Antecedent Anaphors. *Dialogue & Discourse* 14(2): 1–48. [doi:10.5210/dad.2023.201](https://doi.org/10.5210/dad.2023.201). Circulated in 2022 as [arXiv:2205.12323](https://arxiv.org/abs/2205.12323).",
                here: "split antecedents",
            },
        ],
    },
    Subject {
        title: "Scorers and matching rules",
        references: &[
            Reference {
                key: "pradhan-2011",
                cited: "Pradhan et al. 2011",
                text: "Sameer Pradhan, Lance Ramshaw, Mitchell Marcus, Martha Palmer, Ralph Weischedel, Nianwen Xue. 2011. CoNLL-2011 Shared Task: Modeling Unrestricted Coreference in OntoNotes. In *Proceedings of the Fifteenth Conference on Computational Natural Language Learning: Shared Task*, Portland, pages 1–27. [W11-1901](https://aclanthology.org/W11-1901/)",
                here: "`conll`, profile `conll-2011`",
            },
            Reference {
                key: "pradhan-2014",
                cited: "Pradhan et al. 2014",
                text: "Sameer Pradhan, Xiaoqiang Luo, Marta Recasens, Eduard Hovy, Vincent Ng, Michael Strube. 2014. Scoring Coreference Partitions of Predicted Mentions: A Reference Implementation. In *Proceedings of the 52nd Annual Meeting of the Association for Computational Linguistics (Volume 2: Short Papers)*, Baltimore, pages 30–35. [doi:10.3115/v1/P14-2006](https://doi.org/10.3115/v1/P14-2006)",
                here: "profile `conll`",
            },
            Reference {
                key: "moosavi-2019",
                cited: "Moosavi et al. 2019",
                text: "Nafise Sadat Moosavi, Leo Born, Massimo Poesio, Michael Strube. 2019. Using Automatically Extracted Minimum Spans to Disentangle Coreference Evaluation from Boundary Detection. In *Proceedings of the 57th Annual Meeting of the Association for Computational Linguistics*, Florence, pages 4168–4178. [doi:10.18653/v1/P19-1408](https://doi.org/10.18653/v1/P19-1408)",
                here: "profile `coval`, matching `min-span`",
            },
            Reference {
                key: "yu-2023",
                cited: "Yu et al. 2023",
                text: "Juntao Yu, Michal Novák, Abdulrahman Aloraini, Nafise Sadat Moosavi, Silviu Paun, Sameer Pradhan, Massimo Poesio. 2023. The Universal Anaphora Scorer 2.0. In *Proceedings of the 15th International Conference on Computational Semantics*, pages 183–194.",
                here: "profile `ua`, matching `partial` and `craft`",
            },
            Reference {
                key: "zabokrtsky-2022",
                cited: "Žabokrtský et al. 2022",
                text: "Zdeněk Žabokrtský, Miloslav Konopík, Anna Nedoluzhko, Michal Novák, Maciej Ogrodniczuk, Martin Popel, Ondřej Pražák, Jakub Sido, Daniel Zeman, Yilun Zhu. 2022. Findings of the Shared Task on Multilingual Coreference Resolution. In *Proceedings of the CRAC 2022 Shared Task on Multilingual Coreference Resolution*, pages 1–17.",
                here: "profile `corefud`, `mention_overlap`, `zero_anaphora`",
            },
            Reference {
                key: "tuggener-2014",
                cited: "Tuggener 2014",
                text: "Don Tuggener. 2014. Coreference Resolution Evaluation for Higher Level Applications. In *Proceedings of the 14th Conference of the European Chapter of the Association for Computational Linguistics, volume 2: Short Papers*, Gothenburg, pages 231–235.",
                here: "`zero_anaphora`",
            },
        ],
    },
    Subject {
        title: "Shared tasks and corpora",
        references: &[
            Reference {
                key: "hirschman-chinchor-1998",
                cited: "Hirschman and Chinchor 1998",
                text: "Lynette Hirschman, Nancy Chinchor. 1998. MUC-7 Coreference Task Definition (Version 3.0). In *Seventh Message Understanding Conference (MUC-7)*. [M98-1029](https://aclanthology.org/M98-1029/)",
                here: "format and profile `muc`",
            },
            Reference {
                key: "recasens-2010",
                cited: "Recasens et al. 2010",
                text: "Marta Recasens, Lluís Màrquez, Emili Sapena, M. Antònia Martí, Mariona Taulé, Véronique Hoste, Massimo Poesio, Yannick Versley. 2010. SemEval-2010 Task 1: Coreference Resolution in Multiple Languages. In *Proceedings of the 5th International Workshop on Semantic Evaluation*, Uppsala, pages 1–8.",
                here: "format `semeval`",
            },
            Reference {
                key: "pradhan-2012",
                cited: "Pradhan et al. 2012",
                text: "Sameer Pradhan, Alessandro Moschitti, Nianwen Xue, Olga Uryupina, Yuchen Zhang. 2012. CoNLL-2012 Shared Task: Modeling Multilingual Unrestricted Coreference in OntoNotes. In *Joint Conference on EMNLP and CoNLL – Shared Task*, Jeju Island, pages 1–40.",
                here: "format and metric `conll`",
            },
            Reference {
                key: "lee-2017",
                cited: "Lee et al. 2017",
                text: "Kenton Lee, Luheng He, Mike Lewis, Luke Zettlemoyer. 2017. End-to-end Neural Coreference Resolution. In *Proceedings of the 2017 Conference on Empirical Methods in Natural Language Processing*, Copenhagen, pages 188–197. [doi:10.18653/v1/D17-1018](https://doi.org/10.18653/v1/D17-1018)",
                here: "format `jsonlines`",
            },
            Reference {
                key: "stenetorp-2012",
                cited: "Stenetorp et al. 2012",
                text: "Pontus Stenetorp, Sampo Pyysalo, Goran Topić, Tomoko Ohta, Sophia Ananiadou, Jun'ichi Tsujii. 2012. brat: a Web-based Tool for NLP-Assisted Text Annotation. In *Proceedings of the Demonstrations at EACL 2012*, Avignon, pages 102–107. [E12-2021](https://aclanthology.org/E12-2021/)",
                here: "format `brat`",
            },
            Reference {
                key: "cybulska-2014",
                cited: "Cybulska and Vossen 2014",
                text: "Agata Cybulska, Piek Vossen. 2014. Using a Sledgehammer to Crack a Nut? Lexical Diversity and Event Coreference Resolution. In *Proceedings of LREC 2014*, Reykjavik, pages 4545–4552. [L14-1646](https://aclanthology.org/L14-1646/)",
                here: "format `ecb+`",
            },
            Reference {
                key: "eckart-2016",
                cited: "Eckart de Castilho et al. 2016",
                text: "Richard Eckart de Castilho, Éva Mújdricza-Maydt, Seid Muhie Yimam, Silvana Hartmann, Iryna Gurevych, Anette Frank, Chris Biemann. 2016. A Web-based Tool for the Integrated Annotation of Semantic and Syntactic Structures. In *Proceedings of the Workshop on Language Technology Resources and Tools for Digital Humanities*, Osaka, pages 76–84. [W16-4011](https://aclanthology.org/W16-4011/)",
                here: "format `webanno`",
            },
            Reference {
                key: "bamman-2020",
                cited: "Bamman et al. 2020",
                text: "David Bamman, Olivia Lewke, Anya Mansoor. 2020. An Annotated Dataset of Coreference in English Literature. In *Proceedings of LREC 2020*, Marseille, pages 44–54. [2020.lrec-1.6](https://aclanthology.org/2020.lrec-1.6/)",
                here: "LitBank, format `brat`",
            },
            Reference {
                key: "nedoluzhko-2022",
                cited: "Nedoluzhko et al. 2022",
                text: "Anna Nedoluzhko, Michal Novák, Martin Popel, Zdeněk Žabokrtský, Amir Zeldes, Daniel Zeman. 2022. CorefUD 1.0: Coreference Meets Universal Dependencies. In *Proceedings of the Thirteenth Language Resources and Evaluation Conference*, Marseille, pages 4859–4872.",
                here: "format and profile `corefud`",
            },
        ],
    },
    Subject {
        title: "Methods",
        references: &[
            Reference {
                key: "kuhn-1955",
                cited: "Kuhn 1955",
                text: "Harold W. Kuhn. 1955. The Hungarian Method for the Assignment Problem. *Naval Research Logistics Quarterly* 2: 83–97. [doi:10.1002/nav.3800020109](https://doi.org/10.1002/nav.3800020109)",
                here: "the assignment in CEAF and in the matching rules",
            },
            Reference {
                key: "munkres-1957",
                cited: "Munkres 1957",
                text: "James Munkres. 1957. Algorithms for the Assignment and Transportation Problems. *Journal of the Society for Industrial and Applied Mathematics* 5(1): 32–38. [doi:10.1137/0105003](https://doi.org/10.1137/0105003)",
                here: "its polynomial bound",
            },
            Reference {
                key: "jonker-1987",
                cited: "Jonker and Volgenant 1987",
                text: "R. Jonker, A. Volgenant. 1987. A Shortest Augmenting Path Algorithm for Dense and Sparse Linear Assignment Problems. *Computing* 38: 325–340. [doi:10.1007/BF02278710](https://doi.org/10.1007/BF02278710)",
                here: "the algorithm of the assignment",
            },
            Reference {
                key: "noreen-1989",
                cited: "Noreen 1989",
                text: "Eric W. Noreen. 1989. *Computer-Intensive Methods for Testing Hypotheses: An Introduction.* Wiley, New York.",
                here: "approximate randomization",
            },
            Reference {
                key: "efron-1987",
                cited: "Efron 1987",
                text: "Bradley Efron. 1987. Better Bootstrap Confidence Intervals. *Journal of the American Statistical Association* 82(397): 171–185. [doi:10.1080/01621459.1987.10478410](https://doi.org/10.1080/01621459.1987.10478410)",
                here: "BCa intervals",
            },
            Reference {
                key: "holm-1979",
                cited: "Holm 1979",
                text: "Sture Holm. 1979. A Simple Sequentially Rejective Multiple Test Procedure. *Scandinavian Journal of Statistics* 6(2): 65–70.",
                here: "corrected p-values",
            },
            Reference {
                key: "knight-1966",
                cited: "Knight 1966",
                text: "William R. Knight. 1966. A Computer Method for Calculating Kendall's Tau with Ungrouped Data. *Journal of the American Statistical Association* 61(314): 436–439. [doi:10.1080/01621459.1966.10480879](https://doi.org/10.1080/01621459.1966.10480879)",
                here: "Kendall's τ-b",
            },
            Reference {
                key: "fieller-1957",
                cited: "Fieller et al. 1957",
                text: "E. C. Fieller, H. O. Hartley, E. S. Pearson. 1957. Tests for Rank Correlation Coefficients. I. *Biometrika* 44(3/4): 470–481.",
                here: "Fisher's interval of Kendall's τ",
            },
            Reference {
                key: "bonett-wright-2000",
                cited: "Bonett and Wright 2000",
                text: "Douglas G. Bonett, Thomas A. Wright. 2000. Sample Size Requirements for Estimating Pearson, Kendall and Spearman Correlations. *Psychometrika* 65(1): 23–28. [doi:10.1007/BF02294183](https://doi.org/10.1007/BF02294183)",
                here: "Fisher's interval of Spearman's ρ",
            },
            Reference {
                key: "steele-2014",
                cited: "Steele et al. 2014",
                text: "Guy L. Steele, Doug Lea, Christine H. Flood. 2014. Fast Splittable Pseudorandom Number Generators. In *Proceedings of OOPSLA*, pages 453–472. [doi:10.1145/2660193.2660195](https://doi.org/10.1145/2660193.2660195)",
                here: "the numbers behind resamples",
            },
            Reference {
                key: "marsaglia-2004",
                cited: "Marsaglia 2004",
                text: "George Marsaglia. 2004. Evaluating the Normal Distribution. *Journal of Statistical Software* 11(4). [doi:10.18637/jss.v011.i04](https://doi.org/10.18637/jss.v011.i04)",
                here: "the normal distribution in BCa",
            },
            Reference {
                key: "krippendorff-2004",
                cited: "Krippendorff 2004",
                text: "Klaus Krippendorff. 2004. *Content Analysis: An Introduction to Its Methodology.* Second edition, Sage, chapter 11.",
                here: "agreement of annotators, α",
            },
            Reference {
                key: "passonneau-2004",
                cited: "Passonneau 2004",
                text: "Rebecca J. Passonneau. 2004. Computing Reliability for Coreference Annotation. In *Proceedings of LREC 2004*, Lisbon, pages 1503–1506. [L04-1502](https://aclanthology.org/L04-1502/)",
                here: "α of sets",
            },
            Reference {
                key: "passonneau-2006",
                cited: "Passonneau 2006",
                text: "Rebecca Passonneau. 2006. Measuring Agreement on Set-valued Items (MASI) for Semantic and Pragmatic Annotation. In *Proceedings of LREC 2006*, Genoa, pages 831–836. [L06-1392](https://aclanthology.org/L06-1392/)",
                here: "α with MASI",
            },
        ],
    },
];

/// Finds the work that a key names.
fn find(key: &str) -> Option<&'static Reference> {
    BIBLIOGRAPHY.iter().flat_map(|subject| subject.references).find(|reference| reference.key == key)
}

/// The heading of the part of an explanation that cites its sources.
const HEADING: &str = "\n## References\n";

/// Returns an explanation for readers: keys of the bibliography become short citations, and the part with the heading
/// `References` ends with the complete references, in the order of their citations. A paragraph of that part that
/// consists of keys alone is left out.
pub fn with_references(page: &str) -> String {
    let Some((before, after)) = page.split_once(HEADING) else { return cited(page).0 };
    let (part, after) = after.split_at(after.find("\n## ").unwrap_or(after.len()));
    let [(before, of_before), (remark, of_part), (after, of_after)] = [before, part, after].map(cited);
    let mut works: Vec<&Reference> = Vec::new();
    for work in [of_part, of_before, of_after].into_iter().flatten() {
        if !works.iter().any(|known| known.key == work.key) {
            works.push(work);
        }
    }
    let is_remark = part.split('`').step_by(2).any(|text| text.contains(char::is_alphabetic));
    let remark = if is_remark { format!("\n{}\n", remark.trim()) } else { String::new() };
    let list: String = works.iter().map(|work| format!("- {}\n", work.text)).collect();
    format!("{before}{HEADING}{remark}\n{list}{after}")
}

/// Replaces keys between backquotes by short citations, and returns the works in their order.
fn cited(text: &str) -> (String, Vec<&'static Reference>) {
    let mut works = Vec::new();
    let mut pieces = text.split('`').enumerate().peekable();
    let mut found = String::with_capacity(text.len());
    while let Some((place, piece)) = pieces.next() {
        let is_code = place % 2 == 1 && pieces.peek().is_some();
        match find(piece).filter(|_| is_code) {
            Some(work) => {
                found += work.cited;
                works.push(work);
            }
            None if is_code => found += &format!("`{piece}`"),
            None if place % 2 == 1 => found += &format!("`{piece}"),
            None => found += piece,
        }
    }
    (found, works)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_unique_and_agree_with_their_citations() {
        let works: Vec<&Reference> = BIBLIOGRAPHY.iter().flat_map(|subject| subject.references).collect();
        for (place, work) in works.iter().enumerate() {
            assert!(works[..place].iter().all(|other| other.key != work.key), "{}", work.key);
            let (name, year) = work.cited.rsplit_once(' ').expect("a name and a year");
            assert!(work.key.ends_with(year), "{}", work.key);
            let (authors, _) = work.text.split_once(&format!(". {year}. ")).expect(work.key);
            let authors: Vec<&str> = authors.split(", ").collect();
            let rest = match authors.as_slice() {
                [_] => name,
                [_, second] => {
                    let (first, of_second) = name.split_once(" and ").expect(work.key);
                    assert!(second.ends_with(of_second), "{}", work.key);
                    first
                }
                _ => name.strip_suffix(" et al.").expect(work.key),
            };
            assert!(authors[0].ends_with(rest), "{}", work.key);
            assert!(!work.here.is_empty() && !work.text.contains('|'), "{}", work.key);
        }
    }

    #[test]
    fn explanations_have_complete_references() {
        let page = "# A\n\nOf `a`, `rand-1971`.\n\n## References\n\n`luo-2005`; `rand-1971` for its use.\n\n## Other scorers\n\nNone.\n";
        let found = with_references(page);
        let [luo, rand] = ["luo-2005", "rand-1971"].map(|key| find(key).expect("a key").text);
        assert_eq!(
            found,
            format!(
                "# A\n\nOf `a`, Rand 1971.\n\n## References\n\nLuo 2005; Rand 1971 for its use.\n\n- {luo}\n- {rand}\n\n## Other scorers\n\nNone.\n"
            )
        );
        let keys = with_references("# A\n\n## References\n\n`luo-2005`, `rand-1971`.\n");
        assert_eq!(keys, format!("# A\n\n## References\n\n- {luo}\n- {rand}\n"));
        assert_eq!(with_references("Of `a` and a `backquote"), "Of `a` and a `backquote");
    }
}
