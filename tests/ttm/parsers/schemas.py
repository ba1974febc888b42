"""Schemas of several domains, with nothing but column names, for the parser tests: no synonyms, no definitions."""

from dataclasses import replace
from datetime import date

from ttm.tabular.data.schema import Feature, FeatureKind, Schema, Target, feature_tokens


def schema(
    numeric: str,
    boolean: str = "",
    categorical: dict[str, tuple[str, ...]] | None = None,
    classes: tuple[str, ...] = (),
    target: str = "y",
    entity: str = "instances",
) -> Schema:
    """A schema from column names, separated by blanks; `name:top` gives a numeric column the range 0 to top, else
    to 100."""
    tops = {name: float(top or 100) for name, _, top in (word.partition(":") for word in numeric.split())}
    groups: list[tuple[str, FeatureKind, tuple[object, ...]]] = [(name, FeatureKind.NUMERIC, ()) for name in tops]
    groups += [(name, FeatureKind.BOOLEAN, (0, 1)) for name in boolean.split()]
    groups += [(name, FeatureKind.CATEGORICAL, values) for name, values in (categorical or {}).items()]
    tokens = feature_tokens([name for name, _, _ in groups])
    features = tuple(
        Feature(name, token, kind, values, low=0.0 if kind is FeatureKind.NUMERIC else None, high=tops.get(name))
        for (name, kind, values), token in zip(groups, tokens, strict=True)
    )
    outcome = Target(target, classes, tuple(range(len(classes)))) if classes else Target(target, low=0.0, high=100.0)
    return Schema("test data", f"the {target}", features, outcome, entity=entity)


SCHEMAS: dict[str, Schema] = {
    "recidivism": schema(
        "age number_of_prior_crimes months_in_jail",
        "felony misdemeanor woman man black",
        classes=("unlikely to commit a crime", "likely to commit a crime"),
    ),
    "credit": schema(
        "Age LoanDuration LoanAmount:20000 LoanRateAsPercentOfIncome YearsAtCurrentHome "
        "NumberOfOtherLoansAtBank NumberOfLiableIndividuals",
        "HasTelephone ForeignWorker Single HasCoapplicant HasGuarantor OwnsHouse RentsHouse Unemployed NoCurrentLoan "
        "MissedPayments CriticalAccountOrLoansElsewhere OtherLoansAtStore CheckingAccountBalance_geq_0 "
        "CheckingAccountBalance_geq_200 YearsAtCurrentJob_lt_1 JobClassIsSkilled "
        "furniture home_appliances car_new education business",
        classes=("bad credit risk", "good credit risk"),
    ),
    "wine": schema(
        "fixed_acidity volatile_acidity citric_acid residual_sugar chlorides free_sulfur_dioxide density pH sulphates alcohol",
        categorical={"colour": ("red", "white", "rose")},
        classes=("poor", "decent", "excellent"),
        target="quality",
        entity="wines",
    ),
    "churn": schema(
        "tenure MonthlyCharges TotalCharges:9000",
        "SeniorCitizen",
        {
            "Contract": ("Month-to-month", "One year", "Two year"),
            "InternetService": ("DSL", "Fiber optic", "No"),
            "Partner": ("No", "Yes"),
            "PaperlessBilling": ("No", "Yes"),
            "PaymentMethod": ("Electronic check", "Mailed check", "Bank transfer"),
        },
        classes=("No", "Yes"),
        target="Churn",
        entity="customers",
    ),
    "titanic": schema(
        "Age Fare:500 SibSp Parch",
        "",
        {
            "Sex": ("female", "male"),
            "Embarked": ("Cherbourg", "Queenstown", "Southampton"),
            "TicketClass": ("first", "second", "third"),
        },
        classes=("died", "survived"),
        target="Survived",
        entity="passengers",
    ),
    "houses": schema(
        "sqft_living:9000 bedrooms bathrooms floors year_built:2020 distance_to_city",
        "waterfront has_garage",
        {"heating": ("gas", "electric", "oil")},
        target="price",
        entity="houses",
    ),
    "stroke": schema(
        "age avg_glucose_level bmi",
        "hypertension heart_disease ever_married",
        {
            "gender": ("Female", "Male"),
            "work_type": ("Private", "Self-employed", "Govt_job", "children"),
            "smoking_status": ("formerly smoked", "never smoked", "smokes"),
        },
        classes=("no stroke", "stroke"),
        target="stroke",
        entity="patients",
    ),
    "attrition": schema(
        "Age DistanceFromHome MonthlyIncome:20000 YearsAtCompany JobSatisfaction",
        "",
        {
            "OverTime": ("No", "Yes"),
            "Department": ("Sales", "Research & Development", "Human Resources"),
            "MaritalStatus": ("Single", "Married", "Divorced"),
        },
        classes=("stays", "leaves"),
        target="Attrition",
        entity="employees",
    ),
    "cars": schema(
        "cylinders displacement:500 horsepower:300 weight:6000 acceleration model_year",
        "",
        {"origin": ("europe", "japan", "usa")},
        target="mpg",
        entity="cars",
    ),
    "flowers": schema(
        "sepal_length sepal_width petal_length petal_width",
        classes=("setosa", "versicolor", "virginica"),
        target="species",
        entity="flowers",
    ),
    "students": schema(
        "absences study_hours previous_grade travel_time",
        "paid_classes internet romantic",
        classes=("fail", "pass"),
        target="result",
        entity="students",
    ),
    "fraud": schema(
        "amount:5000 hour_of_day account_age_days num_previous_transactions",
        "is_foreign card_present",
        {"merchant_type": ("grocery", "travel", "electronics", "gambling")},
        classes=("legitimate", "fraudulent"),
        target="is_fraud",
        entity="transactions",
    ),
}


def _with_dates(plain: Schema, name: str, first: date, last: date) -> Schema:
    """The schema with a date column more and with ids."""
    token = feature_tokens([name])[0]
    column = Feature(name, token, FeatureKind.DATE, low=float(first.toordinal()), high=float(last.toordinal()))
    return replace(plain, features=(*plain.features, column), id_name="Customer ID")


_CONTRACTS = {"Contract type": ("Month-to-month", "One year", "Two year")}
_SUBSCRIPTIONS = schema("tenure_months MonthlyCharges", "", _CONTRACTS, ("no", "yes"), "churn", "customers")
SCHEMAS["subscriptions"] = _with_dates(_SUBSCRIPTIONS, "signup date", date(2018, 1, 1), date(2023, 12, 31))
SCHEMAS["flats"] = schema("sqm:250 rooms:8", "", {"city": ("Athens", "Berlin", "Patras")}, target="price", entity="flats")
SCHEMAS["clinic"] = schema(
    "Age Glucose:200 Insulin:800 BMI:60", "", {}, ("unlikely to have diabetes", "likely to have diabetes"), "y", "people"
)
