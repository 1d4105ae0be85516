//! Words of languages without a list of pronouns, so that their texts are not taken for those of a language with a list.

/// Frequent pronouns of languages without a list, in lower case, those that are also in a list included. Similar languages
/// have one row. Languages that share few words with a list are left out: see `PronounCounts::language`.
pub(super) static OTHER_LANGUAGES: &[&str] = &[
    // Norwegian, Danish, Swedish
    "jeg jag du han hun hon den det vi dem meg mig deg dig seg sig oss os er ham sin sitt sit sina sine hans dette man",
    // Dutch
    "ik je jij hij ze zij we wij het me hem haar ons zich zijn die dat",
    // Portuguese, Catalan, Italian, Romanian
    "eu ele ela você eles me te nos os lo la los las les li si se lhe seu sua esta este esse isso que ell ells jo tu em \
     us io lui lei noi loro mi ti ci vi le suo suoi ea ei mă îl își lor s' l' meva seva seus seves qui che",
    // Polish, Czech, Croatian, Serbian
    "ja já on ona my mě mi ti go ho mu jego jej ją nas nás nam vás ich je im się se si svoj svůj to ten który který",
    // Finnish
    "minä hän se me te he hänen sen",
    // Ukrainian, Bulgarian
    "я ти він вона ми ви мене його їй нас нам вас їх свій це аз той тя те него ги го му ми се си",
];
